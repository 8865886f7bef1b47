/** Real clients of the image `clients`, by name: the command that prints what a GET of `url` gives. Each ends by itself. */
export const CLIENTS: Readonly<Record<string, (url: string) => readonly string[]>> = {
  curl: (url) => ['curl', '--silent', '--show-error', '--max-time', '20', url],
  node: (url) => ['node', '-e', `fetch(${JSON.stringify(url)}).then((r) => r.text()).then((t) => console.log(t))`],
  python: (url) => [
    'python3',
    '-c',
    `import urllib.request as u; print(u.urlopen("${url}", timeout=20).read().decode())`,
  ],
  httpx: (url) => [
    'python3',
    '-c',
    `import httpx, ssl; print(httpx.get("${url}", timeout=20, verify=ssl.create_default_context()).text)`,
  ],
  go: (url) => ['go-get', url],
};

/** curl, which tells how it fared by its exit code: 6 no such name, 7 refused, 28 no answer. */
export function get(url: string): readonly string[] {
  return ['curl', '--silent', '--show-error', '--max-time', '10', url];
}
