"""Calls of models, every way that the SDKs have. Arguments: provider, address of the vendor."""

import asyncio
import json
import sys

PROVIDER, ADDRESS = sys.argv[1:]
ASK = [{"role": "user", "content": "hello, my key is sk-abcdefghijklmnop and my card 4111111111111111"}]


def openai_calls() -> "dict[str, object]":
    from openai import AsyncOpenAI, BadRequestError, OpenAI

    client = OpenAI(api_key="sk-secretsecretsecret", base_url=f"http://{ADDRESS}/v1", max_retries=0)
    chat = client.chat.completions
    answers: dict[str, object] = {}
    tools = [{"type": "function", "function": {"name": "add", "parameters": {"type": "object", "properties": {}}}}]
    answers["plain"] = chat.create(model="m", messages=ASK, temperature=0.5, tools=tools).choices[0].message.content
    answers["stream"] = "".join(
        c.choices[0].delta.content or "" for c in chat.create(model="m", messages=ASK, stream=True)
    )
    stream = chat.create(model="m", messages=ASK, stream=True)
    answers["early"] = next(iter(stream)).id
    stream.close()
    answers["raw"] = json.loads(chat.with_raw_response.create(model="m", messages=ASK).http_response.text)["id"]
    with chat.with_streaming_response.create(model="m", messages=ASK, stream=True) as response:
        answers["lines"] = len([line for line in response.iter_lines() if line])
    raw = chat.with_raw_response.create(model="m", messages=ASK, stream=True).parse()
    answers["raw_stream"] = "".join(c.choices[0].delta.content or "" for c in raw)
    parts = [c.choices[0].delta.content or "" for c in chat.create(model="split", messages=ASK, stream=True)]
    answers["split"] = len("".join(parts))
    ask = client.responses.create
    answers["responses"] = ask(model="m", input="hello").output_text
    events = ask(model="m", input="hello", stream=True)
    answers["responses_stream"] = "".join(e.delta for e in events if e.type == "response.output_text.delta")
    answers["responses_raw"] = client.responses.with_raw_response.create(model="m", input="hello").parse().output_text
    answers["embedding"] = client.embeddings.create(model="e", input="x", encoding_format="float").data[0].embedding
    try:
        chat.create(model="broken", messages=ASK)
    except BadRequestError as error:
        answers["error"] = error.status_code

    async def more() -> None:
        async with AsyncOpenAI(api_key="sk-x", base_url=f"http://{ADDRESS}/v1", max_retries=0) as aclient:
            create = aclient.chat.completions.create
            answers["aplain"] = (await create(model="m", messages=ASK)).choices[0].message.content
            parts = [c.choices[0].delta.content or "" async for c in await create(model="m", messages=ASK, stream=True)]
            answers["astream"] = "".join(parts)

    asyncio.run(more())
    return answers


def anthropic_calls() -> "dict[str, object]":
    from anthropic import Anthropic, AsyncAnthropic, BadRequestError

    client = Anthropic(api_key="sk-ant-secretsecret", base_url=f"http://{ADDRESS}", max_retries=0)
    create = client.messages.create
    common = {"model": "m", "messages": ASK, "max_tokens": 10}
    answers: dict[str, object] = {}
    answers["plain"] = create(**common).content[0].text
    answers["stream"] = "".join(
        event.delta.text for event in create(**common, stream=True) if event.type == "content_block_delta"
    )
    with client.messages.stream(**common) as stream:
        answers["early"] = next(iter(stream.text_stream))
    answers["raw"] = json.loads(client.messages.with_raw_response.create(**common).http_response.text)["id"]
    raw = client.messages.with_raw_response.create(**common, stream=True).parse()
    answers["raw_stream"] = "".join(event.delta.text for event in raw if event.type == "content_block_delta")
    pieces = create(**{**common, "model": "split"}, stream=True)
    answers["split"] = len("".join(event.delta.text for event in pieces if event.type == "content_block_delta"))
    with client.messages.with_streaming_response.create(**common, stream=True) as response:
        answers["lines"] = len([line for line in response.iter_lines() if line])
    try:
        create(**{**common, "model": "broken"})
    except BadRequestError as error:
        answers["error"] = error.status_code

    async def more() -> None:
        async with AsyncAnthropic(api_key="sk-x", base_url=f"http://{ADDRESS}", max_retries=0) as aclient:
            answers["aplain"] = (await aclient.messages.create(**common)).content[0].text
            async with aclient.messages.stream(**common) as stream:
                answers["astream"] = "".join([text async for text in stream.text_stream])

    asyncio.run(more())
    return answers


print(json.dumps(openai_calls() if PROVIDER == "openai" else anthropic_calls()))
