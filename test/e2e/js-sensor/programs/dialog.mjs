/** Says everything there is to say to a server, and prints what came back as one line of JSON. */
export async function dialog(client, { v2 = false } = {}) {
  const attempt = async (ask) => {
    try {
      return await ask();
    } catch (error) {
      return { code: error.code, message: error.message, data: error.data };
    }
  };
  const names = (list, key) => (Array.isArray(list) ? list.map((entry) => entry[key]) : list);
  const text = (result) =>
    result?.content?.[0]?.text ?? result?.contents?.[0]?.text ?? result?.messages?.[0]?.content?.text;
  const said = async (ask) => {
    const answer = await attempt(ask);
    return answer.code === undefined ? text(answer) : answer;
  };
  const seen = {
    tools: names((await attempt(() => client.listTools())).tools, 'name'),
    resources: names((await attempt(() => client.listResources())).resources, 'uri'),
    templates: names((await attempt(() => client.listResourceTemplates())).resourceTemplates, 'uriTemplate'),
    prompts: names((await attempt(() => client.listPrompts())).prompts, 'name'),
    echo: await said(() => client.callTool({ name: 'echo', arguments: { text: 'hello' } })),
    danger: await said(() => client.callTool({ name: 'danger', arguments: { text: 'x' } })),
    open: await said(() => client.readResource({ uri: 'mem://open' })),
    secret: await said(() => client.readResource({ uri: 'mem://secret' })),
    greet: await said(() => client.getPrompt({ name: 'greet' })),
    trick: await said(() => client.getPrompt({ name: 'trick' })),
    again: await said(() => client.callTool({ name: 'echo', arguments: { text: 'still here' } })),
    v2,
  };
  process.stdout.write(`${JSON.stringify(seen)}\n`);
}
