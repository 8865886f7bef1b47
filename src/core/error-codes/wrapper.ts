/** Codes of named MCP servers and of the clients' files that start them. */
export const wrapperErrors = {
  SERVER_UNKNOWN: {
    summary: 'No MCP server of that name is defined for this user.',
    remedy: 'List what there is with `ucp-sandbox mcp ls`, or define it with `ucp-sandbox mcp add`.',
  },
  SERVER_EXISTS: {
    summary: 'An MCP server of that name is defined already.',
    remedy: 'Choose another name, or replace it with `mcp add --force`.',
  },
  SERVER_FILE_INVALID: {
    summary: "A file in the user's directory of MCP servers is not a definition that this version understands.",
    remedy: 'Correct what the message points at, or define the server anew with `mcp add --force`.',
  },
  SERVER_STOPPED: {
    summary: 'No sandbox of that MCP server runs now.',
    remedy: 'Start its client; `ucp-sandbox mcp ps` lists what runs, `ucpd logs` has the events of what ran.',
  },
  SERVER_CHECK_FAILED: {
    summary: 'The MCP server did not start, or did not answer with its list of tools.',
    remedy: 'Read what it said, correct flags or arguments; `--no-check` defines it without having started it.',
  },
  PACKAGE_FAILED: {
    summary: 'A package could not be found, fetched or made into an image.',
    remedy:
      'Check its name and version, the registry (`--registry`), and that npm or python3 with pip is installed here.',
  },
  CLIENT_FILE_INVALID: {
    summary: "A client's configuration file is not one that can be changed without breaking it; it was left as it is.",
    remedy: 'Correct the file where the message points, or paste what `ucp-sandbox client print` prints.',
  },
  CLIENT_FILE_UNWRITABLE: {
    summary: "A client's configuration file, its backup or its directory could not be written; it was left as it is.",
    remedy: 'Check owner and permissions of the file and its directory.',
  },
  CLIENT_ENTRY_EXISTS: {
    summary: 'The client has a server of that name that is not started by ucp-sandbox.',
    remedy: 'Wrap it with `ucp-sandbox client import`, choose another name, or replace it with `--force`.',
  },
} as const;
