/*
 * A stdio MCP server by hand: what servers in languages without a sensor are to the gateway. Finds its way in compact
 * JSON by looking for text, as no server should. With an argument it also talks on stdout besides the protocol.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copies the text or number after `key` into `out`; text keeps its quotes. */
static int value(const char *line, const char *key, char *out, size_t size) {
  const char *at = strstr(line, key);
  if (!at) return 0;
  at += strlen(key);
  size_t length = *at == '"' ? strcspn(at + 1, "\"") + 2 : strcspn(at, ",}");
  if (length >= size) return 0;
  memcpy(out, at, length);
  out[length] = 0;
  return 1;
}

static void answer(const char *id, const char *result) {
  printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", id, result);
  fflush(stdout);
}

#define TOOL(name) "{\"name\":\"" name "\",\"inputSchema\":{\"type\":\"object\"}}"

int main(int argc, char **argv) {
  char *line = NULL;
  size_t size = 0;
  if (argc > 1) printf("%s\n", argv[1]);
  while (getline(&line, &size, stdin) > 0) {
    char id[64], method[64], name[128];
    if (!value(line, "\"id\":", id, sizeof id) || !value(line, "\"method\":", method, sizeof method)) continue;
    if (!strcmp(method, "\"initialize\"")) {
      answer(id, "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},"
                 "\"serverInfo\":{\"name\":\"by-hand\",\"version\":\"1\"}}");
    } else if (!strcmp(method, "\"tools/list\"")) {
      /* Two pages. */
      if (strstr(line, "\"cursor\"")) answer(id, "{\"tools\":[" TOOL("get-env") "]}");
      else answer(id, "{\"tools\":[" TOOL("echo") "," TOOL("get-sum") "],\"nextCursor\":\"2\"}");
    } else if (!strcmp(method, "\"tools/call\"") && value(line, "\"name\":", name, sizeof name)) {
      fprintf(stderr, "called %s\n", name);
      answer(id, "{ \"content\":[{\"type\":\"text\",\"text\":\"said by hand\"}] }");
    } else {
      answer(id, "{}");
    }
  }
  return 0;
}
