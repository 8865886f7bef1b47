/*
 * An MCP server by hand: what servers in languages without a sensor are to the gateway. Finds its way in compact JSON by
 * looking for text, as no server should. On stdio; with another argument than a number it also talks there besides the
 * protocol. With a number it speaks Streamable HTTP on that port, one connection at a time, one request each.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

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

static void answer(FILE *out, const char *id, const char *result) {
  fprintf(out, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", id, result);
}

#define TOOL(name) "{\"name\":\"" name "\",\"inputSchema\":{\"type\":\"object\"}}"

/* Does what one message asks for. */
static void serve(const char *line, FILE *out) {
  char id[64], method[64], name[128];
  if (!value(line, "\"id\":", id, sizeof id) || !value(line, "\"method\":", method, sizeof method)) return;
  if (!strcmp(method, "\"initialize\"")) {
    answer(out, id, "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},"
                    "\"serverInfo\":{\"name\":\"by-hand\",\"version\":\"1\"}}");
  } else if (!strcmp(method, "\"tools/list\"")) {
    /* Two pages. */
    if (strstr(line, "\"cursor\"")) answer(out, id, "{\"tools\":[" TOOL("get-env") "]}");
    else answer(out, id, "{\"tools\":[" TOOL("echo") "," TOOL("get-sum") "],\"nextCursor\":\"2\"}");
  } else if (!strcmp(method, "\"tools/call\"") && value(line, "\"name\":", name, sizeof name)) {
    fprintf(stderr, "called %s\n", name);
    answer(out, id, "{ \"content\":[{\"type\":\"text\",\"text\":\"said by hand\"}] }");
  } else {
    answer(out, id, "{}");
  }
}

/* Answers the one request of a connection. */
static void serve_request(FILE *in, FILE *out) {
  char header[4096], body[65536], method[16] = "", *answered = NULL;
  size_t length = 0, size = 0;
  if (!fgets(header, sizeof header, in) || sscanf(header, "%15s", method) != 1) return;
  while (fgets(header, sizeof header, in) && strcmp(header, "\r\n")) {
    if (!strncasecmp(header, "content-length:", 15)) length = strtoul(header + 15, NULL, 10);
  }
  if (strcmp(method, "POST")) {
    fprintf(out, "HTTP/1.1 405 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    return;
  }
  if (length >= sizeof body || fread(body, 1, length, in) != length) return;
  body[length] = 0;
  FILE *said = open_memstream(&answered, &size);
  serve(body, said);
  fclose(said);
  fprintf(out, "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%s",
          size ? "200 OK" : "202 Accepted", size, answered);
  free(answered);
}

static int serve_http(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  int one = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 16)) return 1;
  for (;;) {
    int connection = accept(listener, NULL, NULL);
    if (connection < 0) continue;
    FILE *in = fdopen(connection, "r"), *out = fdopen(dup(connection), "w");
    serve_request(in, out);
    fclose(out);
    fclose(in);
  }
}

int main(int argc, char **argv) {
  char *line = NULL;
  size_t size = 0;
  if (argc > 1 && atoi(argv[1])) return serve_http(atoi(argv[1]));
  if (argc > 1) printf("%s\n", argv[1]);
  while (getline(&line, &size, stdin) > 0) {
    serve(line, stdout);
    fflush(stdout);
  }
  return 0;
}
