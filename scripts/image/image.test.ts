import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type BuiltImage, buildImage } from './build.ts';
import { readContainerfile } from './containerfile.ts';
import { isHealthy, startImage } from './start.ts';

let dir: string;
let context: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tarsy-build-'));
  context = join(dir, 'context');
  mkdirSync(join(context, 'parts/inner'), { recursive: true });
  writeFileSync(join(context, 'one.txt'), 'one');
  writeFileSync(join(context, 'parts/two.txt'), 'two');
  writeFileSync(join(context, 'parts/inner/three.log'), 'three');
  writeFileSync(join(context, '.containerignore'), '**/*.log\n');
});
afterEach(() => rmSync(dir, { recursive: true }));

function build(text: string): BuiltImage {
  const containerfile = join(dir, 'Containerfile');
  writeFileSync(containerfile, text);
  return buildImage({ containerfile, context, dir: join(dir, 'out'), programs: '/usr/bin', say: () => {} });
}

const TWO_STAGES = `ARG BASE=node:24
FROM \${BASE} AS build
WORKDIR /app
COPY one.txt ./
RUN cat /app/one.txt > joined \\
  && echo $HOME >> joined
FROM \${BASE}
WORKDIR /app
COPY --from=build /app/joined result
COPY parts parts
COPY one.txt again.txt
ENV NAME=value \\
  PATH=/app/parts:$PATH
USER 65532:0
HEALTHCHECK --interval=10s CMD ["grep", "-q", "one", "result"]
ENTRYPOINT ["tini", "--", "cat"]
CMD ["again.txt"]
`;

test('reads stages, options, JSON forms and continuation lines', () => {
  const file = join(dir, 'Containerfile');
  writeFileSync(file, TWO_STAGES);
  const [first, second] = readContainerfile(file);
  expect([first!.name, first!.image]).toEqual(['build', 'node:24']);
  expect(first!.instructions.at(-1)).toMatchObject({
    keyword: 'RUN',
    args: ['cat /app/one.txt > joined && echo $HOME >> joined'],
  });
  expect(second!.instructions[1]).toEqual({
    keyword: 'COPY',
    flags: { from: 'build' },
    args: ['/app/joined result'],
    line: 9,
  });
});

test('lays the steps out in a folder and starts what they make', async () => {
  const image = build(TWO_STAGES);
  expect(readFileSync(join(image.app, 'result'), 'utf8')).toMatch(/^one\//);
  expect(readFileSync(join(image.app, 'parts/two.txt'), 'utf8')).toBe('two');
  expect(existsSync(join(image.app, 'parts/inner/three.log'))).toBe(false);
  expect(image).toMatchObject({ user: '65532:0', cmd: ['again.txt'], env: { NAME: 'value' } });
  const options = { confined: false, env: {}, programs: '/usr/bin' };
  expect(isHealthy(image, options)).toBe(true);
  const started = startImage(image, options);
  expect(await started.said(/one/)).toBe('one');
});

test('leaves out what needs a container, says so, and fails with the step that fails', () => {
  const image = build('FROM base\nRUN apt-get update\nCOPY one.txt one.txt\n');
  expect(image.leftOut).toEqual(['apt-get update']);
  expect(() => build('FROM base\nRUN echo broken >&2; false\n')).toThrow('broken');
  expect(() => build('FROM base\nADD one.txt .\n')).toThrow('line 2: ADD is not known here');
});
