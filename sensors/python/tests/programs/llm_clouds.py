"""Models at clouds, through the SDKs' own clients for them. Argument: address of the vendor."""

import asyncio
import json
import sys

from anthropic import AnthropicBedrock, AnthropicVertex, AsyncAnthropicBedrock
from openai import AsyncAzureOpenAI, AzureOpenAI

URL = f"http://{sys.argv[1]}"
ASK = [{"role": "user", "content": "hello"}]
MESSAGE = {"model": "m", "messages": ASK, "max_tokens": 10}
AZURE = {"azure_endpoint": URL, "api_key": "sk-secretsecretsecret", "api_version": "2024-10-21", "max_retries": 0}
AWS = {"aws_access_key": "AKIASECRETSECRETSECR", "aws_secret_key": "secretsecret", "aws_region": "us-east-1"}
AWS |= {"base_url": URL, "max_retries": 0}
GOOGLE = {"region": "us-east5", "project_id": "p", "access_token": "secretsecret", "base_url": URL, "max_retries": 0}


def said(stream) -> str:
    return "".join(event.delta.text for event in stream if event.type == "content_block_delta")


async def azure_stream() -> str:
    async with AsyncAzureOpenAI(**AZURE) as client:
        stream = await client.chat.completions.create(model="m", messages=ASK, stream=True)
        return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])


async def bedrock_stream() -> str:
    async with AsyncAnthropicBedrock(**AWS) as client:
        stream = await client.messages.create(**MESSAGE, stream=True)
        return "".join([event.delta.text async for event in stream if event.type == "content_block_delta"])


bedrock, vertex = AnthropicBedrock(**AWS), AnthropicVertex(**GOOGLE)
answers = {
    "azure": AzureOpenAI(**AZURE).chat.completions.create(model="m", messages=ASK).choices[0].message.content,
    "azure_stream": asyncio.run(azure_stream()),
    "bedrock": bedrock.messages.create(**MESSAGE).content[0].text,
    "bedrock_stream": said(bedrock.messages.create(**MESSAGE, stream=True)),
    "bedrock_async": asyncio.run(bedrock_stream()),
    "vertex": vertex.messages.create(**MESSAGE).content[0].text,
    "vertex_stream": said(vertex.messages.create(**MESSAGE, stream=True)),
}
print(json.dumps(answers))
