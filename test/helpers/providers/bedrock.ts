import { crc32 } from 'node:zlib';
import { adaptive } from './anthropic.ts';
import type { Family } from './family.ts';

/** Claude on Bedrock: the Messages API without model and stream in the body, in AWS's binary framing. */
export const bedrock: Family = {
  ...adaptive,
  config: (url) => ({ type: 'bedrock', model: 'anthropic.claude-sonnet-5', base_url: url }),
  contentType: 'application/vnd.amazon.eventstream',
  problem(body) {
    const extra = ['model', 'stream', 'metadata'].find((key) => key in body);
    if (extra !== undefined) return `${extra}: Extra inputs are not permitted`;
    if (body.anthropic_version === undefined) return 'anthropic_version: Field required';
    return adaptive.problem(body);
  },
  frame: (text) =>
    Buffer.concat([...text.matchAll(/^data: (.*)$/gm)].map(([, event]) => frameOf(Buffer.from(event!)))),
};

/** Returns one message of the event stream: lengths, headers and payload, each part with its checksum. */
function frameOf(event: Buffer): Buffer {
  const payload = Buffer.from(JSON.stringify({ bytes: event.toString('base64') }));
  const headers = Buffer.concat([
    header(':event-type', 'chunk'),
    header(':content-type', 'application/json'),
    header(':message-type', 'event'),
  ]);
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + headers.length + payload.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  const checked = Buffer.concat([prelude, checksum(prelude), headers, payload]);
  return Buffer.concat([checked, checksum(checked)]);
}

const STRING = 7;

function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(value.length);
  return Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([STRING]),
    length,
    Buffer.from(value),
  ]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
