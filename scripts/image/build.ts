import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { assignments, type Instruction, readContainerfile, type Stage } from './containerfile.ts';

/** The files and start command of an image, laid out in a folder. */
export interface BuiltImage {
  /** Folder on this machine that represents the image's /app. */
  app: string;
  env: Record<string, string>;
  /** Numeric `uid:gid`. */
  user: string;
  entrypoint: string[];
  cmd: string[];
  healthcheck: string[];
  /** RUN commands left out, because they need a container's root file system. */
  leftOut: string[];
}

export interface BuildOptions {
  containerfile: string;
  /** Build context: the folder from which COPY reads. */
  context: string;
  /** Folder in which each build stage gets a subfolder. */
  dir: string;
  /** Folder with the base image's programs; comes first on the PATH of RUN commands. */
  programs: string;
  say: (line: string) => void;
}

/** The folder in the images for everything that they add to their base images. */
const APP = '/app';

/** Runs the steps of a Containerfile in clean folders that represent /app. @throws Error if a step fails */
export function buildImage(options: BuildOptions): BuiltImage {
  const stages = readContainerfile(options.containerfile);
  const dirs = new Map(stages.map((stage) => [stage.name, join(options.dir, stage.name)]));
  let image: BuiltImage | undefined;
  for (const stage of stages) image = buildStage(stage, dirs, options);
  if (!image) throw new Error(`${options.containerfile} has no FROM`);
  return image;
}

function buildStage(stage: Stage, dirs: Map<string, string>, options: BuildOptions): BuiltImage {
  const app = dirs.get(stage.name)!;
  mkdirSync(app, { recursive: true });
  const image: BuiltImage = {
    app,
    env: {},
    user: '0:0',
    entrypoint: [],
    cmd: [],
    healthcheck: [],
    leftOut: [],
  };
  for (const instruction of stage.instructions) {
    options.say(`${basename(options.containerfile)}:${instruction.line} ${instruction.keyword}`);
    runInstruction(instruction, image, { ...options, dirs });
  }
  return image;
}

function runInstruction(
  { keyword, args, flags, line }: Instruction,
  image: BuiltImage,
  options: BuildOptions & { dirs: Map<string, string> },
): void {
  switch (keyword) {
    case 'RUN':
      runStep(args[0]!, image, options);
      return;
    case 'COPY':
      copy(args[0]!.split(/\s+/), flags.from, image, options);
      return;
    case 'ENV':
      Object.assign(image.env, assignments(toLocalPath(args[0]!, image.app)));
      return;
    case 'USER':
      image.user = args[0]!;
      return;
    case 'ENTRYPOINT':
      image.entrypoint = args;
      return;
    case 'CMD':
      image.cmd = args;
      return;
    case 'HEALTHCHECK':
      image.healthcheck = JSON.parse(/CMD (\[.*\])/.exec(args[0]!)?.[1] ?? '[]') as string[];
      return;
    case 'WORKDIR':
      if (args[0] !== APP) throw new Error(`line ${line}: this build knows the working folder ${APP} only`);
      return;
    case 'EXPOSE':
    case 'ARG':
      return;
    default:
      throw new Error(`line ${line}: ${keyword} is not known here`);
  }
}

function runStep(command: string, image: BuiltImage, { programs, say }: BuildOptions): void {
  if (/\bapt-get\b/.test(command)) {
    image.leftOut.push(command);
    say(`  left out, needs a container's root: ${command}`);
    return;
  }
  const done = spawnSync('sh', ['-ec', toLocalPath(command, image.app)], {
    cwd: image.app,
    // Passes the machine's proxy and certificate settings on, as a container engine does.
    env: { ...process.env, ...image.env, PATH: `${programs}:${process.env.PATH}` },
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (done.status !== 0) throw new Error(`failed: ${command}\n${done.stderr}`);
}

function copy(
  paths: string[],
  from: string | undefined,
  image: BuiltImage,
  { context, dirs }: BuildOptions & { dirs: Map<string, string> },
): void {
  const last = paths.at(-1)!;
  const to = resolve(image.app, toLocalPath(last, image.app));
  const ignored = from === undefined ? ignoreOf(context) : () => false;
  for (const path of paths.slice(0, -1)) {
    const source = from === undefined ? join(context, path) : toLocalPath(path, dirs.get(from)!);
    // A folder's content goes into the target; a file keeps its name if the target is a folder.
    const isFile = !statSync(source).isDirectory();
    const destination = isFile && /(?:^|\/)\.?\/?$/.test(last) ? join(to, basename(path)) : to;
    cpSync(source, destination, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (file) => !ignored(relative(context, file)),
    });
  }
}

/** Replaces /app in a path or command by the folder that represents it. */
function toLocalPath(text: string, app: string): string {
  return text.replaceAll(/(?<![\w.])\/app(?=[/\s]|$)/g, app);
}

/** Returns a function that is true for paths excluded by the context's `.containerignore`. */
function ignoreOf(context: string): (path: string) => boolean {
  const patterns = readFileSync(join(context, '.containerignore'), 'utf8').split('\n').filter(Boolean);
  const expressions = patterns.map(
    (pattern) =>
      new RegExp(
        `^${pattern
          .replace(/[.+^$()|[\]\\{}]/g, '\\$&')
          .replace(/^\*\*\//, '(?:.*/)?')
          .replace(/(?<!\.)\*(?!\/)/g, '[^/]*')}(?:/|$)`,
      ),
  );
  return (path) => expressions.some((expression) => expression.test(path));
}
