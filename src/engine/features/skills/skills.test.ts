import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Config } from '../../../config/types.ts';
import { parseSkill, readSkills } from './folder.ts';
import { openSkills, skillSections, skillTools } from './skills.ts';

const logger = pino({ level: 'silent' });
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tarsy-skills-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(dir, { recursive: true });
});

const skill = (name: string, body = `Do ${name}.`) =>
  `---\nname: ${name}\ndescription: For ${name}\n---\n\n${body}\n`;
async function put(file: string, text: string): Promise<void> {
  await mkdir(join(dir, file, '..'), { recursive: true });
  await writeFile(join(dir, file), text);
}
const agents = (more: Record<string, unknown> = {}) =>
  ({ agents: { A: { name: 'A', skills: null, requiredSkills: [], ...more } } }) as unknown as Pick<
    Config,
    'agents'
  >;

test('reads folders and files and reports each problem with its file', async () => {
  await put('dns/SKILL.md', skill('dns'));
  await put('disk.md', skill('disk'));
  await put('twice.md', skill('dns'));
  await put('bare.md', 'no front matter');
  await put('nameless.md', '---\ndescription: x\nauthor: y\n---\ntext');
  await put('empty.md', '---\nname: empty\ndescription: x\n---\n');
  await put('bomb.md', '---\na: &a [x]\nb: [*a, *a]\n---\ntext');
  await put('folder/other.txt', 'not one');
  const { skills, issues } = await readSkills(dir);
  expect(skills.map(({ name, body }) => [name, body])).toEqual([
    ['disk', 'Do disk.'],
    ['dns', 'Do dns.'],
  ]);
  const told = issues.map(({ file, message }) => `${file.slice(dir.length + 1)}: ${message}`).join('\n');
  expect(told).toMatch(/^bare\.md: must begin with front matter/m);
  expect(told).toMatch(/^nameless\.md: .*name: .*author/m);
  expect(told).toMatch(/^empty\.md: has no text/m);
  expect(told).toMatch(/^bomb\.md: its front matter is not YAML$/m);
  expect(told).toMatch(/^twice\.md: another skill has the name dns/m);
  expect(told).toMatch(/^folder\/SKILL\.md: cannot be read/m);
  expect(await readSkills(join(dir, 'none'))).toEqual({ skills: [], issues: [] });
  expect(parseSkill(skill('x').replaceAll('\n', '\r\n'))).toMatchObject({
    kind: 'skill',
    skill: { name: 'x', body: 'Do x.' },
  });
});

test('limits the size of a skill and of its description', async () => {
  const sized = (name: string, bytes: number) => skill(name).trim().padEnd(bytes, '.');
  await put('a.md', sized('most', 65_536));
  await put('more.md', sized('more', 65_537));
  await put('long.md', skill('long').replace('For long', 'x'.repeat(500)));
  await put('longer.md', skill('longer').replace('For longer', 'x'.repeat(501)));
  const { skills, issues } = await readSkills(dir);
  expect(skills.map(({ name }) => name)).toEqual(['long', 'most']);
  expect(issues).toMatchObject([
    { file: join(dir, 'longer.md'), message: expect.stringContaining('description: ') },
    { file: join(dir, 'more.md'), message: 'has 65537 bytes; at most 65536 are allowed' },
  ]);
});

test('a folder that cannot be read is not taken for an empty one', async () => {
  await put('file', '');
  await expect(readSkills(join(dir, 'file'))).rejects.toThrow('ENOTDIR');
});

test('reads a folder that is a link, as in a volume of Kubernetes', async () => {
  await put('..data/dns/SKILL.md', skill('dns'));
  await symlink('..data/dns', join(dir, 'dns'));
  await symlink('nowhere', join(dir, 'lost'));
  const { skills, issues } = await readSkills(dir);
  expect(skills.map(({ name }) => name)).toEqual(['dns']);
  expect(issues).toMatchObject([{ file: join(dir, 'lost'), message: 'cannot be read' }]);
});

test('refuses agents that name unknown skills at the start', async () => {
  await put('dns.md', skill('dns'));
  for (const named of [{ requiredSkills: ['dsn'] }, { skills: ['dsn'] }])
    await expect(openSkills(dir, agents(named), logger)).rejects.toThrow('agent A has the unknown skill dsn');
});

test('gives an agent its required skills and all, some or no others; takes valid changes only', async () => {
  await put('dns.md', skill('dns'));
  await put('disk.md', skill('disk'));
  const names = async (more: Record<string, unknown>) => {
    const { required, offered } = await (await openSkills(dir, agents(more), logger)).forAgent('A');
    return [required.map(({ name }) => name), offered.map(({ name }) => name)];
  };
  expect(await names({})).toEqual([[], ['disk', 'dns']]);
  expect(await names({ requiredSkills: ['dns'] })).toEqual([['dns'], ['disk']]);
  expect(await names({ requiredSkills: ['dns'], skills: [] })).toEqual([['dns'], []]);
  expect(await names({ skills: ['dns'] })).toEqual([[], ['dns']]);

  const skills = await openSkills(dir, agents({ requiredSkills: ['dns'] }), logger);
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const dnsAfter = async (text: string) => {
    await put('dns.md', text);
    await utimes(join(dir, 'dns.md'), now, now);
    now += 5_000;
    return (await skills.list()).find(({ name }) => name === 'dns');
  };
  expect(await dnsAfter(skill('dns', 'Ask the resolver.'))).toMatchObject({
    body: 'Ask the resolver.',
    requiredBy: ['A'],
  });
  expect(await dnsAfter('broken')).toMatchObject({ body: 'Ask the resolver.' });
  expect(await dnsAfter(skill('renamed'))).toMatchObject({ body: 'Ask the resolver.' }); // the agent needs it
  expect(await dnsAfter(skill('dns', 'Once more.'))).toMatchObject({ body: 'Once more.' });
});

test('looks for changes every two seconds, and logs each change once', async () => {
  await put('dns.md', skill('dns'));
  const logged: string[] = [];
  const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line).msg) });
  const began = performance.now();
  let now = began;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const skills = await openSkills(dir, agents(), log);
  const bodyAt = async (ms: number, text?: string) => {
    if (text !== undefined) await put('dns.md', text);
    if (text !== undefined) await utimes(join(dir, 'dns.md'), ms, ms);
    now = began + ms;
    return (await skills.list())[0]!.body;
  };
  expect(await bodyAt(1_000, skill('dns', 'Ask the resolver.'))).toBe('Do dns.');
  expect(await bodyAt(3_000)).toBe('Ask the resolver.');
  expect(await bodyAt(4_000, skill('dns', 'Ask one resolver.'))).toBe('Ask the resolver.');
  expect(await bodyAt(6_000)).toBe('Ask one resolver.');
  expect(await bodyAt(9_000)).toBe('Ask one resolver.');
  expect(await bodyAt(12_000, 'broken')).toBe('Ask one resolver.');
  expect(await bodyAt(15_000)).toBe('Ask one resolver.');
  expect(logged).toEqual([
    ...['skills changed', 'skills changed', 'changed skills invalid, keeping the previous ones'],
  ]);
});

test('keeps the skills while their folder cannot be read', async () => {
  const folder = join(dir, 'skills');
  await put('skills/dns.md', skill('dns'));
  const skills = await openSkills(folder, agents(), logger);
  await rm(folder, { recursive: true });
  await writeFile(folder, '');
  const now = performance.now() + 5_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  expect((await skills.list()).map(({ name }) => name)).toEqual(['dns']);
});

test('lists each offered skill in one line', () => {
  const [section] = skillSections({
    required: [],
    offered: [{ name: 'dns', description: 'For dns\n- and more', body: 'Do.' }],
  });
  expect(section).toMatch(/\n\n- dns: For dns - and more$/);
});

test('says which skills there are, and quotes the beginning of an unknown name', async () => {
  const [load] = skillTools([{ name: 'dns', description: 'For dns', body: 'Do.' }], async () => {});
  const call = { id: 'call', name: load!.name, arguments: '' };
  await expect(load!.run({ names: ['x'.repeat(200)] }, call)).rejects.toThrow(
    `There is no skill ${'x'.repeat(80)}; available skills: dns.`,
  );
});
