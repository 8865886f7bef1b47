import { describe, expect, test } from 'vitest';

import { engineError } from './engine-error.ts';

const context = { endpoint: 'unix:///d.sock', doing: 'create the container', image: 'img', container: 'box' };
const answer = (statusCode: number, words: string): Error =>
  Object.assign(new Error(`(HTTP code ${statusCode}) reason - ${words} `), { statusCode });

describe('what the engine says becomes a code and one line', () => {
  test.each([
    [409, 'Conflict. The container name "/web" is already in use by container "9d7".', 'NAME_IN_USE', /web/],
    [
      500,
      'driver failed programming external connectivity on endpoint x (y): Bind for 127.0.0.1:80 failed: port is already allocated',
      'PORT_IN_USE',
      /127\.0\.0\.1:80/,
    ],
    [
      500,
      'Error starting userland proxy: listen tcp4 127.0.0.1:99: bind: address already in use',
      'PORT_IN_USE',
      /127\.0\.0\.1:99/,
    ],
    [
      500,
      'failed to bind host port for 127.0.0.1:99:172.17.0.2:80/tcp: bind: address already in use',
      'PORT_IN_USE',
      /-p/,
    ],
    [
      400,
      'invalid mount config for type "bind": bind source path does not exist: /nope',
      'MOUNT_SOURCE_MISSING',
      /\/nope/,
    ],
    [404, 'network mine not found', 'NETWORK_NOT_FOUND', /network mine:.*network create/],
    [404, 'No such image: img:latest', 'IMAGE_NOT_FOUND', /img/],
    [
      404,
      "pull access denied for img, repository does not exist or may require 'docker login'",
      'IMAGE_NOT_FOUND',
      /login/,
    ],
    [404, 'manifest for img:9 not found: manifest unknown', 'IMAGE_NOT_FOUND', /tag/],
    [400, 'invalid reference format', 'IMAGE_NOT_FOUND', /malformed/],
    [
      404,
      'image with reference img was found but does not match the specified platform: wanted linux/arm64',
      'IMAGE_PLATFORM',
      /--platform/,
    ],
    [400, '"xyz": unknown operating system or architecture: invalid argument', 'IMAGE_PLATFORM', /os\/arch/],
    [404, 'No such container: box', 'CONTAINER_NOT_FOUND', /box/],
    [400, 'Minimum memory limit allowed is 6MB', 'LIMIT_REFUSED', /6MB/],
    [400, 'Range of CPUs is from 0.01 to 2.00, as there are only 2 CPUs available', 'LIMIT_REFUSED', /2\.00/],
    [400, "the working directory 'rel' is invalid", 'ENGINE_REFUSED', /would not create the container: the working/],
    [500, 'broken\nin two lines', 'ENGINE_FAILED', /broken in two lines/],
  ])('%i %s', (status, words, code, message) => {
    expect(engineError(answer(status, words), context)).toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });

  test.each([
    ['EACCES', 'ENGINE_DENIED', /group/],
    ['ENOENT', 'ENGINE_UNREACHABLE', /unix:\/\/\/d\.sock.*start it/],
    ['ECONNREFUSED', 'ENGINE_UNREACHABLE', /DOCKER_HOST/],
    ['ECONNRESET', 'ENGINE_UNREACHABLE', /broke/],
  ])('connection error %s', (errno, code, message) => {
    const thrown = Object.assign(new Error('connect'), { code: errno });
    expect(engineError(thrown, context)).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test('every message is one line', () => {
    expect(engineError(answer(500, 'a\n\nb'), context).message).not.toContain('\n');
  });
});
