import { readFileSync } from 'node:fs';
import { DockerfileParser } from 'dockerfile-ast';

/** One instruction of a Containerfile with its variables replaced and continuation lines joined. */
export interface Instruction {
  keyword: string;
  /** Values of the `--name=value` options by name. */
  flags: Record<string, string>;
  /** Arguments after the options: the items of a JSON array, otherwise one item with the complete text. */
  args: string[];
  line: number;
}

export interface Stage {
  name: string;
  image: string;
  instructions: Instruction[];
}

/** Parses a Containerfile into stages. @throws Error if an instruction other than ARG precedes the first FROM */
export function readContainerfile(path: string): Stage[] {
  const parsed = DockerfileParser.parse(readFileSync(path, 'utf8'));
  const values: Record<string, string> = {};
  const stages: Stage[] = [];
  for (const raw of parsed.getInstructions()) {
    const line = raw.getRange().start.line + 1;
    const keyword = raw.getKeyword();
    // Variables in RUN are left to its shell.
    const text = keyword === 'RUN' ? joinLines(raw) : replaceVariables(joinLines(raw), values);
    const instruction = { keyword, line, ...splitFlags(text) };
    if (keyword === 'ARG' || keyword === 'ENV') Object.assign(values, assignments(text));
    if (keyword === 'FROM') {
      const [image, , name] = text.split(/\s+/);
      stages.push({ image: image ?? '', name: name ?? String(stages.length), instructions: [] });
    } else if (stages.length > 0) {
      stages.at(-1)?.instructions.push(instruction);
    } else if (keyword !== 'ARG') {
      throw new Error(`${path}:${line}: ${keyword} stands before the first FROM`);
    }
  }
  return stages;
}

/** Parses `A=1 B=2` into a record and removes quotes. */
export function assignments(text: string): Record<string, string> {
  const pairs = text.matchAll(/(\w+)=("[^"]*"|\S*)/g);
  return Object.fromEntries([...pairs].map(([, key, value]) => [key, value!.replace(/^"|"$/g, '')]));
}

/** Returns an instruction's text after the keyword, as one line. */
function joinLines(raw: { getTextContent(): string }): string {
  return raw
    .getTextContent()
    .replace(/^\s*\w+\s*/, '')
    .replace(/\s*\\\n\s*/g, ' ')
    .trim();
}

/** Replaces $NAME and ${NAME} by values of ARG and ENV. Keeps $PATH, which the build's environment replaces. */
function replaceVariables(text: string, values: Record<string, string>): string {
  return text.replace(/\$(?:\{(\w+)\}|(\w+))/g, (whole, braced?: string, bare?: string) => {
    const name = (braced ?? bare)!;
    return name === 'PATH' ? whole : (values[name] ?? whole);
  });
}

function splitFlags(text: string): Pick<Instruction, 'flags' | 'args'> {
  const flags: Record<string, string> = {};
  let rest = text;
  for (let match = /^--([\w-]+)=(\S+)\s+/.exec(rest); match; match = /^--([\w-]+)=(\S+)\s+/.exec(rest)) {
    flags[match[1]!] = match[2]!;
    rest = rest.slice(match[0].length);
  }
  return { flags, args: rest.startsWith('[') ? (JSON.parse(rest) as string[]) : [rest] };
}
