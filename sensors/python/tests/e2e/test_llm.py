"""Calls of models on real SDKs against local vendors: requests, responses, streams; nothing changes for the program."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from ..conftest import FULL, Host
from ..model_vendor import SPLIT, ModelVendor

CASES = [
    (venv, provider)
    for venv in (["llm", "full-llm2", "full-llm1"] if FULL else ["llm"])
    for provider in ("openai", "anthropic")
]
#: What the program prints.
ANSWERS: "dict[str, Any]" = {
    "plain": "the answer",
    "stream": "part0 part1 part2 part3 part4 ",
    "aplain": "the answer",
    "astream": "part0 part1 part2 part3 part4 ",
    "raw_stream": "part0 part1 part2 part3 part4 ",
    "split": len("".join(SPLIT)),
    "error": 400,
}


@pytest.fixture
def vendor() -> "Iterator[ModelVendor]":
    made = ModelVendor()
    yield made
    made.stop()


@pytest.mark.parametrize(("venv", "provider"), CASES)
def test_every_call_is_told_with_its_answer(host: Host, vendor: ModelVendor, venv: str, provider: str) -> None:
    host.policy(llm={"redact": {"builtin": ["pii"]}})
    answers = host.report(venv, "llm_calls.py", provider, vendor.address)
    assert {name: answers[name] for name in ANSWERS} == ANSWERS
    assert answers == host.report(venv, "llm_calls.py", provider, vendor.address, sensor=False)
    requests, responses = host.plane.events("llm_request"), host.plane.events("llm_response")
    assert [event["id"] for event in requests] == [event["body"]["request"] for event in responses]
    assert len(requests) == len(answers)
    assert {event["attributes"]["gen_ai.provider.name"] for event in requests} == {provider}
    assert {event["attributes"]["server.address"] for event in requests} == {vendor.address}
    first, second = responses[0], responses[1]
    parameter, value = ("temperature", 0.5) if provider == "openai" else ("max_tokens", 10)
    assert first["attributes"][f"gen_ai.request.{parameter}"] == value
    assert first["attributes"]["gen_ai.response.model"] == "m-1"
    assert first["attributes"]["gen_ai.usage.input_tokens"] == 5
    assert "the answer" in json.dumps(first["body"])
    assert all(f"part{i}" in json.dumps(second["body"]) for i in range(5))
    assert [event["attributes"].get("error.type") for event in responses].count("BadRequestError") == 1
    assert host.plane.events("sensor_error") == []
    everything = json.dumps(host.plane.events())
    assert "hello, my key is" in everything
    assert "my key is [redacted], keep it" in everything
    for secret in ("secretsecret", "abcdefghijklmnop", "4111111111111111", *SPLIT):
        assert secret not in everything
    if provider == "openai":
        assert first["body"]["tool_calls"] == [{"name": "add", "id": "call_1"}]
        assert [answers[name] for name in ("responses", "responses_raw")] == ["the answer"] * 2
        told = [event for event in responses if event["attributes"].get("gen_ai.response.id") == "resp_1"]
        said = [event["body"]["answers"][0]["output"][0]["content"][0]["text"] for event in told]
        assert said == ["the answer", "part0 part1 part2 part3 part4 ", "the answer"]
        assert [event["attributes"]["gen_ai.usage.output_tokens"] for event in told] == [2] * 3


@pytest.mark.parametrize("venv", list(dict.fromkeys(venv for venv, _provider in CASES)))
def test_clients_for_clouds_are_covered(host: Host, vendor: ModelVendor, venv: str) -> None:
    host.policy(llm={})
    answers = host.report(venv, "llm_clouds.py", vendor.address)
    assert answers == host.report(venv, "llm_clouds.py", vendor.address, sensor=False)
    requests, responses = host.plane.events("llm_request"), host.plane.events("llm_response")
    assert [event["attributes"]["gen_ai.provider.name"] for event in requests] == ["openai"] * 2 + ["anthropic"] * 5
    assert {event["attributes"]["gen_ai.request.model"] for event in requests} == {"m"}
    for event, text in zip(responses, answers.values(), strict=True):
        assert text in json.dumps(event["body"]["answers"])
        assert event["attributes"]["gen_ai.response.model"] == "m-1"
    assert {event["attributes"].get("gen_ai.usage.output_tokens") for event in responses[2:]} >= {1, 2}
    assert host.plane.events("sensor_error") == []
    assert "secret" not in json.dumps(host.plane.events()).lower()


def test_a_piece_reaches_the_program_before_the_next_is_sent(host: Host, vendor: ModelVendor) -> None:
    host.policy(llm={})
    assert host.report("llm", "llm_held.py", vendor.address) == [ANSWERS["stream"]] * 4
    told = [event["body"]["answers"] for event in host.plane.events("llm_response")]
    assert [ANSWERS["stream"] in json.dumps(answers) for answers in told] == [True] * 4


def test_content_stays_in_the_process_when_policy_says_so(host: Host, vendor: ModelVendor) -> None:
    host.policy(llm={"capture_content": False, "providers": ["openai"]})
    for provider in ("openai", "anthropic"):
        host.report("llm", "llm_calls.py", provider, vendor.address)
    events = host.plane.events("llm_request") + host.plane.events("llm_response")
    assert {event["attributes"]["gen_ai.provider.name"] for event in events} == {"openai"}
    assert "hello" not in json.dumps(events)
    assert "the answer" not in json.dumps(events)
