import { describe, expect, it } from 'vitest';
import { type Expected, parseTests, ST } from '../../../../../test/helpers/react.ts';
import { parseReact } from './parse.ts';

describe('headers inside a line', () => {
  parseTests([
    ['Thought: a.Action: s.t\nAction Input: x', ST('a.')],
    ['Thought: the namespace.Action: s.t\nAction Input: x', ST('the namespace.')],
    ['Thought: critical!Action: s.t\nAction Input: x', ST('critical!')],
    ['Thought: first?Action: s.t\nAction Input: x', ST('first?')],
    ['Thought: I proceed. Action: s.t\nAction Input: x', ST('I proceed.')],
    ['Thought: in `namespace`.`Action: s.t\nAction Input: x', ST('in `namespace`.')],
    ['Thought: namespace.**Action: s.t\nAction Input: x', ST('namespace.')],
    ['Thought: done. **Action:** s.t\nAction Input: x', ST('done.')],
    ['Thought: One. Two! Three?Four.Action: s.t\nAction Input: x', ST('One. Two! Three?Four.')],
    ['Thought: Stopped.Action: \ns.t\nAction Input: x', ST('Stopped.')],
    ['Thought: Stopped.Action:\n\n`s.t`\nAction Input: x', ST('Stopped.')],
    ['I look.Action: s.t\nAction Input: x', ST()],
    ['Thought: done.Final Answer: X', { thought: 'done.', final: 'X' }],
    ['Thought: done!Final Answer: X', { thought: 'done!', final: 'X' }],
    ['Thought: done?Final Answer: X', { thought: 'done?', final: 'X' }],
    ['Thought: done. Final Answer: X', { thought: 'done.', final: 'X' }],
    ['Thought: done. **Final Answer:** X', { thought: 'done.', final: 'X' }],
    ['Thought: done. **Final Answer: X**\nmore', { thought: 'done.', final: 'X\nmore' }],
    ['Thought\nfoo.\nbar.Final Answer: X', { thought: 'foo.\nbar.', final: 'X' }],
    ['done.Final Answer:\nX', { final: 'X' }],
    ['Thought: a.Action: see below.Action: s.t\nAction Input: x', ST('a.Action: see below.')],
    ['Thought: 好。Action: s.t\nAction Input: x', ST('好。')],
    ['Action: s.t\nThought: so.Action Input: x', ST('so.')],
    ['Thought: what.Action Input: x', { thought: 'what.Action Input: x', malformed: 'thought_only' }],
    [
      'Thought: **Plan**:\n1. look at `pods` in the namespace.Action: kubernetes-server.resources_list\nAction Input:\napiVersion: v1\nkind: Pod\nnamespace: prod\nlimit: 5',
      {
        thought: '**Plan**:\n1. look at `pods` in the namespace.',
        call: [
          'kubernetes-server',
          'resources_list',
          { apiVersion: 'v1', kind: 'Pod', namespace: 'prod', limit: 5 },
        ],
      },
    ],
    ['Action: a.b Action Input: x: 1', { call: ['a', 'b', { x: 1 }] }],
    ['Action: a.b, Action Input: {"x": 1}', { call: ['a', 'b', { x: 1 }] }],
    ['Action: a.b foo.Action Input: x: 1', { call: ['a', 'b', { x: 1 }] }],
    ['Thought: t.Action: a.b Action Input: x: 1', { thought: 't.', call: ['a', 'b', { x: 1 }] }],
    ['**Action:** `a.b` **Action Input:** `{"x": 1}`', { call: ['a', 'b', { x: 1 }] }],
    ['Action: a.b\nAction Input: q: what. Action: c.d', { call: ['a', 'b', { q: 'what. Action: c.d' }] }],
    [
      'Action: a.b\nAction Input: {"q": "done. Final Answer: no"}',
      { call: ['a', 'b', { q: 'done. Final Answer: no' }] },
    ],
  ]);
});

describe('an action without a proper header', () => {
  parseTests([
    ['Thought: a Action: s.t\nAction Input: x', ST('a Action: s.t')],
    ['Thought: a,Action: s.t\nAction Input: x', ST('a,Action: s.t')],
    ['Thought: a:Action: s.t\nAction Input: x', ST('a:Action: s.t')],
    ['Thought: (a.)Action: s.t\nAction Input: x', ST('(a.)Action: s.t')],
    ['Thought: a.\nAction\ns.t\nAction Input: x', ST('a.\nAction\ns.t')],
    ['Thought\nfoo pods.Action\ns.t\nAction Input:\nx', ST('foo pods.Action\ns.t')],
    ['Thought: a\nAction\n   s.t   \nAction Input: x', ST('a\nAction\n   s.t')],
    ['Thought: a\nAction\ns.t\nwith this\nAction Input: x', ST('a\nAction\ns.t\nwith this')],
    [
      'Thought: a\nAction\n\nk8s-server_2.get-pods_9\nAction Input: x',
      {
        thought: 'a\nAction\n\nk8s-server_2.get-pods_9',
        call: ['k8s-server_2', 'get-pods_9', { input: 'x' }],
      },
    ],
    ['Thought: a\nAction\na.b\nAction\ns.t\nAction Input: x', ST('a\nAction\na.b\nAction\ns.t')],
    ['Action\ns.t\nAction Input: x', ST()],
    ['Thought: a\nAction:\ns.t\nAction Input: x', ST('a')],
    ['Thought: a\nAction:\n\n  s.t\nAction Input: x', ST('a')],
  ]);

  it.each(['', 'tool', 'a tool', 's.', '.t', 's..t', 's.t.x', 'the s.t tool'])(
    'rejects the name %j',
    (name) => {
      expect(parseReact(`Thought: a\nAction\n${name}\nAction Input: x`)).toMatchObject({
        kind: 'malformed',
        reason: 'input_without_action',
      });
    },
  );
});

describe('variants of headers', () => {
  parseTests([
    ['**Thought:** a\n**Action:** s.t\n**Action Input:** x', ST('a')],
    ['**Thought**: a\n**Action**: s.t\n**Action Input**: x', ST('a')],
    ['__Thought:__ a\n`Action:` s.t\n*Action Input:* x', ST('a')],
    ['**Thought: a**\n**Action: s.t**\n**Action Input: x**', ST('a')],
    ['### Thought: a\n### Action: s.t\n### Action Input: x', ST('a')],
    ['> Thought: a\n> Action: s.t\n> Action Input: x', ST('a')],
    ['thought: a\naction: s.t\naction input: x', ST('a')],
    ['THOUGHT: a\nACTION: s.t\nACTION INPUT: x', ST('a')],
    ['Thought: a\nAction: s.t\nAction_Input: x', ST('a')],
    ['Thought: a\nAction: s.t\nActionInput: x', ST('a')],
    ['Thought : a\nAction : s.t\nAction Input : x', ST('a')],
    ['Thought: t\nfinal answer: X', { thought: 't', final: 'X' }],
    ['Thought: t\nFinal answer: X', { thought: 't', final: 'X' }],
    ['Thought: t\nFinal Answer\nX', { thought: 't', final: 'X' }],
    ['Thought: t\n## Final Answer\n\nX', { thought: 't', final: 'X' }],
    ['Thought: t\n**Final Answer**\nX', { thought: 't', final: 'X' }],
    ['Thought: t\n## Final Answer: X', { thought: 't', final: 'X' }],
    ['Thought: t\n## **Final Answer:** X', { thought: 't', final: 'X' }],
    ['**Final Answer:** **Root cause**: disk', { final: '**Root cause**: disk' }],
    ['**Final Answer:\n**Root cause**', { final: '**Root cause**' }],
    [
      'thought: a\naction: s.t\naction input: x\naction: s.u\naction input: y',
      { thought: 'a', call: ['s', 'u', { input: 'y' }] },
    ],
    ['Thought about it\nAction: s.t\nAction Input: x', ST()],
    ['ThoughtThe user\nAction: s.t\nAction Input: x', ST()],
    ['Here is my response:\nThought: a\nAction: s.t\nAction Input: x', ST('a')],
  ]);
});

describe('variants of names', () => {
  parseTests([
    ['Action: `s.t`\nAction Input: x', ST()],
    ['Action: **s.t**\nAction Input: x', ST()],
    ['Action: "s.t"\nAction Input: x', ST()],
    ['Action: [s.t]\nAction Input: x', ST()],
    ['Action: <s.t>\nAction Input: x', ST()],
    ['Action: s.t.\nAction Input: x', ST()],
    ['Action: s.t please\nAction Input: x', ST()],
    ['Action: s.t\nto see the pods\nAction Input: x', ST()],
    ['Action: s.t(a=1)\nAction Input: x', ST()],
    ['Action: s.t(a=1)\nAction Input:', { call: ['s', 't', { a: 1 }] }],
    ['Action: s.t(a=1, b="c")', { call: ['s', 't', { a: 1, b: 'c' }] }],
    ['Action: s.t()', { call: ['s', 't', {}] }],
    ['Action: s.t(a=1)\nFinal Answer: X', { final: 'X' }],
    ['Action: s.t(a=1', { malformed: 'action_without_input' }],
  ]);
});

describe('invented observations on the line of the input', () => {
  const call = (text: string): Expected => ({ thought: 'a', call: ['s', 't', { x: text }] });
  parseTests([
    ['Thought: a\nAction: s.t\nAction Input: {"x": "1"} Observation: full\nThought: z', call('1')],
    ['Thought: a\nAction: s.t\nAction Input: {"x": "1"}Observation: full\nFinal Answer: z', call('1')],
    ['Thought: a\nAction: s.t Action Input: {"x": "1"}. Observation: full', call('1')],
    ['Thought: a\nAction: s.t\nAction Input:\n{\n"x": "1"\n} Observation: full', call('1')],
    ['Thought: a\nAction: s.t\nAction Input: ```json {"x": "1"}``` Observation: full', call('1')],
    ['Thought: a\nAction: s.t\nAction Input: Observation: full', { thought: 'a', call: ['s', 't', {}] }],
    // `Observation:` inside the JSON of an input is data.
    ['Thought: a\nAction: s.t\nAction Input: {"x": "} Observation: full"}', call('} Observation: full')],
    ['Action: s.t\nAction Input: x: Observation: full', { call: ['s', 't', { x: 'Observation: full' }] }],
    ['Action: s.t\nAction Input: {"x": {"y": 1} Observation: z}', { malformed: 'input_broken' }],
  ]);

  it('are not part of the kept text', () => {
    const kept = 'Action: s.t\nAction Input: {"x": "1"}';
    expect(parseReact(`${kept} Observation: the disk is full\nThought: so it is`).text).toBe(kept);
    expect(parseReact(`${kept}, my Observations: none`).text).toBe(`${kept}, my Observations: none`);
  });
});
