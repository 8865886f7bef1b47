/** Codes of the sandbox room and of the engine underneath it. */
export const sandboxErrors = {
  ENGINE_UNREACHABLE: {
    summary: 'No Docker engine answers at the address that DOCKER_HOST, the context or the default socket names.',
    remedy: 'Start the engine, or set DOCKER_HOST or the docker context to one that runs.',
  },
  ENGINE_DENIED: {
    summary: "The Docker engine's socket exists, but this user may not use it.",
    remedy: 'Join the group that owns the socket (usually `docker`), log in again, or run as root.',
  },
  ENGINE_ENDPOINT: {
    summary: 'The address of the Docker engine is malformed, or of a kind that UCP does not speak (ssh, npipe, fd).',
    remedy: 'Use unix:///path/docker.sock or tcp://host:port (2376 with TLS), or a docker context that does.',
  },
  ENGINE_TOO_OLD: {
    summary: 'The Docker engine speaks an API older than 1.41 (Engine 20.10).',
    remedy: 'Upgrade the engine to 20.10 or newer.',
  },
  ENGINE_REFUSED: {
    summary:
      'The Docker engine refused an operation for a reason that has no code of its own; its words are in the message.',
    remedy: 'Correct what the engine names.',
  },
  ENGINE_FAILED: {
    summary: 'The Docker engine failed at an operation that it accepted; its words are in the message.',
    remedy: "Read the engine's log; the operation may be tried again.",
  },
  IMAGE_NOT_FOUND: {
    summary: 'The image is neither on the engine nor in the registry that its name points to.',
    remedy: 'Check the name and tag, build it, or log in to its registry with `docker login`.',
  },
  IMAGE_PLATFORM: {
    summary: 'The image exists, but not for the platform asked for.',
    remedy: 'Pull or build it for that platform, or leave out `--platform`.',
  },
  IMAGE_PULL_FAILED: {
    summary: 'The image could not be pulled for a reason other than its absence.',
    remedy: 'Check network and registry; with the image on the engine already, use `--pull=never`.',
  },
  IMAGE_NO_COMMAND: {
    summary: 'The image has neither ENTRYPOINT nor CMD and the command line gives none.',
    remedy: 'Name the command after the image.',
  },
  NAME_IN_USE: {
    summary: 'A container of that name exists already.',
    remedy: 'Choose another `--name`, or remove the other one with `ucp-sandbox rm`.',
  },
  PORT_IN_USE: {
    summary: 'Something else already listens on a host port that was asked for.',
    remedy: 'Choose another host port, or stop what uses it.',
  },
  GATEWAY_ADDRESS: {
    summary:
      'The gateway before an MCP server can not listen at an address that was asked for, or not reach the server.',
    remedy: "Publish the server's port on an address of this host, and give the sandbox a network of the engine's.",
  },
  GATEWAY_BROKEN_OFF: {
    summary: 'A client or the MCP server ended its connection to the gateway in the middle of a message.',
    remedy: 'Look at what the server says on stderr; if it went on well, its client gave up waiting.',
  },
  CONTAINER_NOT_FOUND: {
    summary: 'No container or sandbox of that name or id exists.',
    remedy: 'List what there is with `ucp-sandbox ps --all`.',
  },
  NETWORK_NOT_FOUND: {
    summary: "A network of the engine's that a sandbox is to be in does not exist, or no longer.",
    remedy: 'Make it with `docker network create`, or choose another one for `--network`.',
  },
  MOUNT_SOURCE_MISSING: {
    summary: 'The host path of a mount does not exist. UCP never creates one.',
    remedy: 'Create the directory or correct the path.',
  },
  MOUNT_SOURCE_CHANGED: {
    summary: 'The host path of a mount became another file between its check and the start of the sandbox.',
    remedy: 'Find out who replaced it; run again once the path is stable.',
  },
  LIMIT_REFUSED: {
    summary: 'The engine cannot give a memory, cpu or process limit that was asked for.',
    remedy: 'Stay within what the message names.',
  },
  SANDBOX_RUNNING: {
    summary: 'The sandbox runs, and what was asked for needs one that does not.',
    remedy: 'Stop it first with `ucp-sandbox stop`, or use `rm --force`.',
  },
  CONTROLPLANE_UNREACHABLE: {
    summary: 'The control plane does not answer on its socket and could not be started.',
    remedy: 'Read the log file that the message names, or start the service with `systemctl start ucpd`.',
  },
  CONTROLPLANE_DENIED: {
    summary: "The control plane's socket exists, but this user may not use it.",
    remedy: 'Join the group that owns the socket (usually `ucp`) and log in again.',
  },
  CONTROLPLANE_PROTOCOL: {
    summary: 'The control plane sent something that this version does not understand.',
    remedy: 'Bring ucp-sandbox and ucpd to the same version.',
  },
  SECRET_NOT_FOUND: {
    summary: 'A secret that a run asks for is in no keyring, encrypted file or variable of the front end.',
    remedy: 'Store it where the message says, or name its place with `from=`.',
  },
  SECRET_UNREADABLE: {
    summary: 'A secret is there, but its keyring, its encrypted file or the key of that can not be used.',
    remedy: 'Correct what the message names: the program, the key file, or the length of the secret.',
  },
  SECRETS_MISSING: {
    summary:
      'A sandbox needs secrets that the control plane does not have since it was started: it keeps them in memory.',
    remedy: 'Give them again with `ucp-sandbox restart NAME`, where they can be read.',
  },
  SECRET_UNDELIVERED: {
    summary: 'A secret could not be put into its variable or file in the sandbox, so the workload was not started.',
    remedy: 'Choose another place for it with `env=VARIABLE` or `file=PATH`.',
  },
} as const;
