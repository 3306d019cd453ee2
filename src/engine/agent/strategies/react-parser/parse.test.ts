import { describe, expect, it } from 'vitest';
import { type Expected, parseTests, ST } from '../../../../../test/helpers/react.ts';
import { parseReact } from './parse.ts';

describe('the described form', () => {
  parseTests([
    ['Thought: T\nAction: s.t\nAction Input: a: b', { thought: 'T', call: ['s', 't', { a: 'b' }] }],
    ['Action: s.t\nAction Input: a: b', { call: ['s', 't', { a: 'b' }] }],
    ['Thought: T\nFinal Answer: X', { thought: 'T', final: 'X' }],
    ['Final Answer: X', { final: 'X' }],
    ['Final Answer: A\nline2\n\nline3', { final: 'A\nline2\n\nline3' }],
    ['Thought: T\nAction: s.t\nAction Input:', { thought: 'T', call: ['s', 't', {}] }],
    ['Thought: T\nAction: s.t\nAction Input: {}', { thought: 'T', call: ['s', 't', {}] }],
    [
      'Thought: one\ntwo\n\nthree\nAction: s.t\nAction Input: {"a":\n1}',
      { thought: 'one\ntwo\n\nthree', call: ['s', 't', { a: 1 }] },
    ],
    ['Thought\nI look.\nAction: s.t\nAction Input: x', ST('I look.')],
    [
      'Thought: T\nThought about it carefully.\nFinal Answer: X',
      { thought: 'T\nThought about it carefully.', final: 'X' },
    ],
    [
      'Thought\nThe user wants pods.\nAction: kube-server.get-pods\nAction Input: ns: a',
      { thought: 'The user wants pods.', call: ['kube-server', 'get-pods', { ns: 'a' }] },
    ],
    ['   Thought: a\n   Action: s.t\n   Action Input: x', ST('a')],
    ['Action:s.t\nAction Input:x', ST()],
    ['Action:\ts.t\nAction Input:\tx', ST()],
    ['Thought: a\r\nAction: s.t\r\nAction Input: x: 1\r\n', { thought: 'a', call: ['s', 't', { x: 1 }] }],
    [
      'Thought: a\n\nAction: s.t\n\nAction Input: x: 1\n\nmore: 2',
      { thought: 'a', call: ['s', 't', { x: 1, more: 2 }] },
    ],
    ['Action: s.t.u\nAction Input: x', { call: ['s', 't.u', { input: 'x' }] }],
    ['Action: a_1-b.c_2-d\nAction Input: x', { call: ['a_1-b', 'c_2-d', { input: 'x' }] }],
    ['\n\n  \nThought: a\nFinal Answer: X\n\n', { thought: 'a', final: 'X' }],
    ['Thought: a\n  - b\n    - c\nFinal Answer: X', { thought: 'a\n  - b\n    - c', final: 'X' }],
    ['Final Answer:\n\n# Report\n\n- a\n  - b', { final: '# Report\n\n- a\n  - b' }],
    ['   Final Answer: X\n   - a\n     - b', { final: 'X\n- a\n  - b' }],
    [
      'Thought: é✓.Action: s.t\nAction Input: ключ: значение',
      { thought: 'é✓.', call: ['s', 't', { ключ: 'значение' }] },
    ],
    ['Thought：想\nAction：s.t\nAction Input：x', ST('想')],
  ]);
});

describe('malformed', () => {
  parseTests([
    ['', { malformed: 'empty' }],
    [' \n\t\n', { malformed: 'empty' }],
    ['...!!!???', { malformed: 'no_sections' }],
    ['just text', { malformed: 'no_sections' }],
    ['I think the pod is broken.\nLet me restart it.', { malformed: 'no_sections' }],
    ['Thought: T', { thought: 'T', malformed: 'thought_only' }],
    ['Thought:', { malformed: 'thought_only' }],
    ['Thought: T\nAction: s.t', { thought: 'T', malformed: 'action_without_input' }],
    ['Action: tool', { malformed: 'action_without_input' }],
    ['Action:\nAction Input: x', { malformed: 'action_empty' }],
    ['Action: **\nAction Input: x', { malformed: 'action_empty' }],
    ['Action: s.\nAction Input: x', { malformed: 'action_incomplete' }],
    ['Action: .t\nAction Input: x', { malformed: 'action_incomplete' }],
    ['Action: .\nAction Input: x', { malformed: 'action_incomplete' }],
    ['Action: `s.`\nAction Input: x', { malformed: 'action_incomplete' }],
    ['Thought: t\nAction Input: x: 1', { thought: 't', malformed: 'input_without_action' }],
    ['Thought: t\nFinal Answer:', { thought: 't', malformed: 'final_answer_empty' }],
    ['Final Answer: \n\n', { malformed: 'final_answer_empty' }],
    ['**Final Answer:**', { malformed: 'final_answer_empty' }],
    ['Thought: done Final Answer: X', { thought: 'done Final Answer: X', malformed: 'thought_only' }],
    [
      'Thought: I will take action: check the pods',
      { thought: 'I will take action: check the pods', malformed: 'thought_only' },
    ],
    [
      'Thought: a\naction: we should check the pods',
      { thought: 'a\naction: we should check the pods', malformed: 'thought_only' },
    ],
    ['The action: we should take', { malformed: 'no_sections' }],
    ['I wonder what Action: means', { malformed: 'no_sections' }],
    ['The log shows an Action: statement', { malformed: 'no_sections' }],
    ['Test.Action:\nAction Input: x', { malformed: 'input_without_action' }],
    ['Test.Action: \n\n  Action Input: x', { malformed: 'input_without_action' }],
    [
      'Thought: a\nAction\nnot valid name\nAction Input: x',
      { thought: 'a\nAction\nnot valid name', malformed: 'input_without_action' },
    ],
    [
      'Thought: a\nObservation: Please specify what Action you want to take',
      { thought: 'a\nObservation: Please specify what Action you want to take', malformed: 'thought_only' },
    ],
    [
      'Thought: a\nObservation: Error in reasoning: x',
      { thought: 'a\nObservation: Error in reasoning: x', malformed: 'thought_only' },
    ],
    ['Observation: the pod runs\nFinal Answer: fine', { malformed: 'empty' }],
    ['Action Input: x Action: s.t\nAction Input: y', { malformed: 'input_without_action' }],
    ['Action: a.b\nAction Input: 1\nAction: c.d', { malformed: 'action_without_input' }],
    [
      'Thought: final answers are near.\nAnswer: X',
      { thought: 'final answers are near.\nAnswer: X', malformed: 'thought_only' },
    ],
  ]);
});

describe('unknown tools', () => {
  parseTests([
    ['Action: tool\nAction Input: x', { unknown: 'tool' }],
    [
      'Thought: find it\nAction: concise_search\nAction Input: query: a',
      { thought: 'find it', unknown: 'concise_search' },
    ],
    ['Action: check logs. then restart\nAction Input: x', { unknown: 'check logs. then restart' }],
    ['Action: restart the pod\nAction Input: none', { unknown: 'restart the pod' }],
    ['Action: http://x.y/z\nAction Input: x', { unknown: 'http://x.y/z' }],
    ['Action: s..t\nAction Input: x', { unknown: 's..t' }],
    ['Action: `tool`\nAction Input: x', { unknown: 'tool' }],
    ['Action: s__t\nAction Input: x', { unknown: 's__t' }],
    ['Test.Action: x\nAction Input: y', { unknown: 'x' }],
    ['Action: a.b\nAction Input: 1\nAction: foo\nAction Input: 2', { unknown: 'foo' }],
  ]);

  it('keeps thought and input and truncates an invalid name', () => {
    const response = parseReact(`Thought: a\nAction: ${'word '.repeat(500)}\nAction Input: q: b`);
    expect(response).toMatchObject({ kind: 'unknown_tool', thought: 'a', input: 'q: b' });
    expect(response.kind === 'unknown_tool' && response.name.length).toBeLessThanOrEqual(300);
  });
});

describe('precedence among several', () => {
  parseTests([
    [
      'Thought: a\nAction: a.b\nAction Input: 1\nThought: c\nAction: c.d\nAction Input: 2',
      { thought: 'c', call: ['c', 'd', { input: 2 }] },
    ],
    ['Action: a.b\nAction Input: 1\nAction Input: 2', { call: ['a', 'b', { input: 2 }] }],
    ['Action Input: x: 1\nAction: a.b', { call: ['a', 'b', { x: 1 }] }],
    ['Thought: a\nThought: b\nFinal Answer: X', { thought: 'b', final: 'X' }],
    ['Final Answer: X\nThought: more', { thought: 'more', final: 'X' }],
    ['Final Answer: A\nFinal Answer: B', { final: 'A\nFinal Answer: B' }],
    ['Thought: a.Final Answer: A\nb.Final Answer: B', { thought: 'a.', final: 'A\nb.Final Answer: B' }],
    ['Final Answer: X\nAction: s.t\nAction Input: x', ST()],
    ['Action: s.t\nAction Input: x\nFinal Answer: X', ST()],
    ['Action: s.t\nFinal Answer: X', { final: 'X' }],
    ['Action: tool\nAction Input: y\nFinal Answer: X', { final: 'X' }],
    ['Action: None\nAction Input: None\nFinal Answer: X', { final: 'X' }],
    ['Final Answer: X.Action: s.t\nAction Input: x', ST()],
    ['Action: a.b\nAction Input: 1\nAction: c.d\nFinal Answer: X', { final: 'X' }],
    ['Action: a.b\nThought: t\nAction Input: 1', { thought: 't', call: ['a', 'b', { input: 1 }] }],
    ['Final Answer:\nAction: s.t\nAction Input: x', ST()],
    ['Thought: a\nThought:\nFinal Answer: X', { thought: 'a', final: 'X' }],
  ]);
});

describe('a quoted action beside a final answer', () => {
  const final = (thought: string): Expected => ({ thought, final: 'X' });
  parseTests([
    ['<think>\nAction: k.delete\nAction Input: {}\n</think>\nThought: t\nFinal Answer: X', final('t')],
    [
      'Thought: the log says\n> Action: k.delete\n> Action Input: {}\nFinal Answer: X',
      final('the log says\n> Action: k.delete\n> Action Input: {}'),
    ],
    [
      'Thought: the log says\n```\nAction: k.delete\nAction Input: {"a": 1}\n```\nFinal Answer: X',
      final('the log says\n```\nAction: k.delete\nAction Input: {"a": 1}\n```'),
    ],
    [
      'Thought: t\nFinal Answer: X\n```\nAction: k.delete\nAction Input: {}\n```\nend',
      { thought: 't', final: 'X\n```\nAction: k.delete\nAction Input: {}\n```\nend' },
    ],
    [
      'Thought: t\n> Final Answer: none\nAction: a.b\nAction Input: {}\nFinal Answer: X',
      { thought: 't', call: ['a', 'b', {}] },
    ],
    [
      'Thought: t\nFinal Answer: X\n> Action: k.delete\n> Action Input: {}\nend',
      { thought: 't', final: 'X\n> Action: k.delete\n> Action Input: {}\nend' },
    ],
  ]);
});

describe('a final answer that mentions actions', () => {
  parseTests([
    [
      'Final Answer: Do this.\nAction: restart the pod\nAction Input: none',
      { final: 'Do this.\nAction: restart the pod\nAction Input: none' },
    ],
    [
      'Final Answer: X.Action: no-dot-name\nAction Input: x',
      { final: 'X.Action: no-dot-name\nAction Input: x' },
    ],
    [
      'Thought: t.Final Answer:\n**S**: ok.\n\nRecommended Action: MONITOR',
      { thought: 't.', final: '**S**: ok.\n\nRecommended Action: MONITOR' },
    ],
    ['Final Answer: A\n\n**Action:** scale up\n\nB', { final: 'A\n\n**Action:** scale up\n\nB' }],
    ['Final Answer: A\n## Action: scale up', { final: 'A\n## Action: scale up' }],
    [
      'Final Answer: A\nAction: kubectl.restart\nThen look again.',
      { final: 'A\nAction: kubectl.restart\nThen look again.' },
    ],
    [
      'Final Answer: A\nAction: a.b\nand\nAction: c.d\nend',
      { final: 'A\nAction: a.b\nand\nAction: c.d\nend' },
    ],
    ['Final Answer: A\nAction: a.b\nand\nAction: c.d\nAction Input: x', { call: ['c', 'd', { input: 'x' }] }],
    ['Final Answer: A\nAction: a.b\nThought: t', { thought: 't', final: 'A\nAction: a.b' }],
    [
      'Final Answer: A\nAction:\nfoo.bar is to be restarted\nAction Input: x',
      { final: 'A\nAction:\nfoo.bar is to be restarted\nAction Input: x' },
    ],
    ['Final Answer: A\n**Thought:** it may recur\nB', { final: 'A\n**Thought:** it may recur\nB' }],
    ['Final Answer: A\nthought: it may recur', { final: 'A\nthought: it may recur' }],
    ['Final Answer: A\n**Observation:** it restarts\nB', { final: 'A\n**Observation:** it restarts\nB' }],
    ['Final Answer: A\nAction Input: x', { final: 'A\nAction Input: x' }],
    ['Final Answer: A. Action: look at node.js and wait', { final: 'A. Action: look at node.js and wait' }],
  ]);
});

describe('inputs', () => {
  const of = (input: string, parameters: Record<string, unknown>): [string, Expected] => [
    `Action: a.b\nAction Input: ${input}`,
    { call: ['a', 'b', parameters] },
  ];
  parseTests([
    of('{\n  "x": 1,\n  "y": [1,2]\n}', { x: 1, y: [1, 2] }),
    of('{"x": 1}\nI will wait.', { x: 1 }),
    of('{"x": 1} and then I wait. Action: c.d', { x: 1 }),
    of('\n```json\n{"x": 1}\n```', { x: 1 }),
    of('```json\n{"x": 1}\n```\nThat is all.', { x: 1 }),
    of('```json\n{"x": 1}', { x: 1 }),
    of('```{"x": 1}```', { x: 1 }),
    of('\n```yaml\ncfg:\n  h: 1\n```', { cfg: { h: 1 } }),
    of('config:\n  host: h\n  port: 80', { config: { host: 'h', port: 80 } }),
    of('\nconfig:\n  host: h\n  ports:\n    - 80\n    - 81', { config: { host: 'h', ports: [80, 81] } }),
    of('\n    config:\n      host: h\n    n: 2', { config: { host: 'h' }, n: 2 }),
    of('ns: p\n    cfg:\n      h: 1', { ns: 'p', cfg: { h: 1 } }),
    of('ns: p\ncmd:\n- a\n- b', { ns: 'p', cmd: ['a', 'b'] }),
    of('script: |\n  one\n    two', { script: 'one\n  two' }),
    of('paths:\n- "*.log"\n- "/var/**"', { paths: ['*.log', '/var/**'] }),
    of('namespace: default, pod: x', { namespace: 'default', pod: 'x' }),
    of('msg: hello, world', { msg: 'hello, world' }),
    of('labels: app=nginx', { labels: 'app=nginx' }),
    of('labels: app=nginx,tier=web', { labels: 'app=nginx,tier=web' }),
    of('a: "quoted", b: \'q\'', { a: 'quoted', b: 'q' }),
    of('a: 007, b: 1_000, c: inf, d: nan', { a: '007', b: '1_000', c: 'inf', d: 'nan' }),
    of('previous: true, tail: 50', { previous: true, tail: 50 }),
    of('url: http://x:80/p', { url: 'http://x:80/p' }),
    of('plain text here', { input: 'plain text here' }),
    of('[1, 2]', { input: [1, 2] }),
    of('null', {}),
    of('None', {}),
    of('N/A', {}),
    of('""', {}),
    of('`{"x": 1}`', { x: 1 }),
    of('**{"x": 1}**', { x: 1 }),
    ['Action: a.b\nAction Input: {"a": bad', { malformed: 'input_broken' }],
    ['Action: a.b\nAction Input: {"a": "x" "b"}', { malformed: 'input_broken' }],
    of('action: restart, thought: idle', { action: 'restart', thought: 'idle' }),
    of('\naction: describe\nkind: Pod', { action: 'describe', kind: 'Pod' }),
    of('\nthought: idle\nfinal answer: 42', { thought: 'idle' }),
    [
      '   Action: a.b\n   Action Input:\n   a: 1\n   cfg:\n     h: 1',
      { call: ['a', 'b', { a: 1, cfg: { h: 1 } }] },
    ],
    ['   Action: a.b\n   Action Input: cfg:\n     h: 1', { call: ['a', 'b', { cfg: { h: 1 } }] }],
    [
      'Action: a.b\nAction Input: {"x": "Thought: \\nAction: c.d"}',
      { call: ['a', 'b', { x: 'Thought: \nAction: c.d' }] },
    ],
  ]);
});

it('reports the sections that it found', () => {
  expect(parseReact('Thought: a\nAction: s.t').found).toEqual(new Set(['thought', 'action']));
  expect(parseReact('Action Input: x\nFinal Answer:').found).toEqual(new Set(['input', 'final']));
});

it('keeps the final answer beside a complete action', () => {
  const response = parseReact('Final Answer: X\nAction: s.t\nAction Input: x');
  expect(response).toMatchObject({ kind: 'thought_action', finalAnswer: 'X', call: { name: 's.t' } });
});
