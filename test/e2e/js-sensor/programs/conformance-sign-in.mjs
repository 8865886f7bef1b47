const REDIRECT = 'http://localhost:3000/callback';

/** Signs in as a person would, at once: follows the authorization server's redirect by itself and keeps what comes back. */
export class SignIn {
  redirectUrl = REDIRECT;
  clientMetadataUrl = 'https://conformance-test.local/client-metadata.json';
  clientMetadata = { client_name: 'conformance', redirect_uris: [REDIRECT] };
  /** True once a server has asked for a sign-in. */
  asked = false;
  #kept = {};
  #back = new URLSearchParams();

  constructor(client) {
    this.#kept.client = client;
  }

  clientInformation = () => this.#kept.client;
  saveClientInformation = (client) => void (this.#kept.client = client);
  tokens = () => this.#kept.tokens;
  saveTokens = (tokens) => void (this.#kept.tokens = tokens);
  codeVerifier = () => this.#kept.verifier;
  saveCodeVerifier = (verifier) => void (this.#kept.verifier = verifier);

  invalidateCredentials(scope) {
    if (scope === 'all') this.#kept = {};
    else delete this.#kept[scope];
  }

  async redirectToAuthorization(url) {
    this.asked = true;
    const { headers } = await fetch(url, { redirect: 'manual' });
    this.#back = new URL(headers.get('location')).searchParams;
  }

  /** Arguments of `finishAuth`. */
  answer() {
    return [this.#back.get('code'), this.#back.get('iss') ?? undefined];
  }
}
