/** Limits of Block Kit (characters or items), as Slack documents and enforces them. */
export const BLOCK_LIMITS = {
  blocks: 50,
  blockId: 255,
  text: 3000,
  fields: 10,
  fieldText: 2000,
  header: 150,
  contextElements: 10,
  actionElements: 25,
  actionId: 255,
  buttonText: 75,
  buttonValue: 2000,
  buttonUrl: 3000,
  confirmTitle: 100,
  confirmText: 300,
  confirmButton: 30,
  tasks: 50,
  taskTitle: 256,
  /** Sum over all texts of a message, beyond which Slack answers msg_blocks_too_long. */
  messageText: 13_000,
} as const;

type Json = Record<string, unknown>;
export class Problem extends Error {}

/** Returns why Slack would refuse the blocks, or `null`. Unknown block types and properties are refused. */
export function problemOfBlocks(value: unknown): string | null {
  try {
    checkBlocks(value);
    return null;
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}

function checkBlocks(value: unknown): void {
  if (!Array.isArray(value)) throw new Problem('blocks is no array');
  if (value.length > BLOCK_LIMITS.blocks) throw new Problem(`${value.length} blocks`);
  const ids = new Set<string>();
  for (const [index, block] of value.entries()) {
    const at = `blocks[${index}]`;
    const { type, block_id: id, ...rest } = object(block, at);
    if (id !== undefined) {
      text(id, BLOCK_LIMITS.blockId, `${at}.block_id`);
      if (ids.has(id as string)) throw new Problem(`${at}.block_id occurs twice`);
      ids.add(id as string);
    }
    const check = BLOCKS[String(type)];
    if (!check) throw new Problem(`${at}.type ${String(type)}`);
    check(rest, at);
  }
  const sum = textsOf(value).reduce((length, part) => length + part.length, 0);
  if (sum > BLOCK_LIMITS.messageText) throw new Problem(`msg_blocks_too_long: ${sum}`);
}

const BLOCKS: Readonly<Record<string, (block: Json, at: string) => void>> = {
  divider: (block, at) => only(block, [], at),
  header(block, at) {
    only(block, ['text'], at);
    textObject(block.text, BLOCK_LIMITS.header, `${at}.text`, ['plain_text']);
  },
  section(block, at) {
    only(block, ['text', 'fields', 'accessory', 'expand'], at);
    if (block.text === undefined && block.fields === undefined) throw new Problem(`${at} is empty`);
    if (block.text !== undefined) textObject(block.text, BLOCK_LIMITS.text, `${at}.text`);
    if (block.fields !== undefined)
      for (const [index, field] of list(block.fields, BLOCK_LIMITS.fields, `${at}.fields`).entries())
        textObject(field, BLOCK_LIMITS.fieldText, `${at}.fields[${index}]`);
    if (block.accessory !== undefined) button(block.accessory, `${at}.accessory`);
  },
  context(block, at) {
    only(block, ['elements'], at);
    for (const [index, element] of list(
      block.elements,
      BLOCK_LIMITS.contextElements,
      `${at}.elements`,
    ).entries())
      textObject(element, BLOCK_LIMITS.text, `${at}.elements[${index}]`);
  },
  plan(block, at) {
    only(block, ['title', 'tasks'], at);
    text(block.title, BLOCK_LIMITS.taskTitle, `${at}.title`);
    for (const [index, task] of list(block.tasks, BLOCK_LIMITS.tasks, `${at}.tasks`).entries())
      taskCard(task, `${at}.tasks[${index}]`);
  },
  actions(block, at) {
    only(block, ['elements'], at);
    const elements = list(block.elements, BLOCK_LIMITS.actionElements, `${at}.elements`);
    const ids = elements.map((element, index) => button(element, `${at}.elements[${index}]`));
    if (new Set(ids).size < ids.length) throw new Problem(`${at}: an action_id occurs twice`);
  },
};

/** Checks a task card of a plan. */
function taskCard(value: unknown, at: string): void {
  const card = object(value, at);
  only(card, ['type', 'task_id', 'title', 'status', 'details', 'output', 'sources'], at);
  if (card.type !== 'task_card') throw new Problem(`${at}.type ${String(card.type)}`);
  text(card.task_id, BLOCK_LIMITS.blockId, `${at}.task_id`);
  text(card.title, BLOCK_LIMITS.taskTitle, `${at}.title`);
  if (!['pending', 'in_progress', 'complete', 'error'].includes(String(card.status)))
    throw new Problem(`${at}.status`);
  if (card.details === undefined) return;
  const details = object(card.details, `${at}.details`);
  only(details, ['type', 'elements'], `${at}.details`);
  if (details.type !== 'rich_text') throw new Problem(`${at}.details.type`);
  list(details.elements, 1, `${at}.details.elements`);
}

/** Checks a button. Returns its action_id. */
function button(value: unknown, at: string): string {
  const element = object(value, at);
  only(element, ['type', 'text', 'action_id', 'value', 'url', 'style', 'confirm', 'accessibility_label'], at);
  if (element.type !== 'button') throw new Problem(`${at}.type ${String(element.type)}`);
  textObject(element.text, BLOCK_LIMITS.buttonText, `${at}.text`, ['plain_text']);
  text(element.action_id, BLOCK_LIMITS.actionId, `${at}.action_id`);
  if (element.value !== undefined) text(element.value, BLOCK_LIMITS.buttonValue, `${at}.value`);
  if (element.url !== undefined) text(element.url, BLOCK_LIMITS.buttonUrl, `${at}.url`);
  if (element.style !== undefined && element.style !== 'primary' && element.style !== 'danger')
    throw new Problem(`${at}.style`);
  if (element.confirm !== undefined) {
    const dialog = object(element.confirm, `${at}.confirm`);
    only(dialog, ['title', 'text', 'confirm', 'deny', 'style'], `${at}.confirm`);
    textObject(dialog.title, BLOCK_LIMITS.confirmTitle, `${at}.confirm.title`, ['plain_text']);
    textObject(dialog.text, BLOCK_LIMITS.confirmText, `${at}.confirm.text`);
    textObject(dialog.confirm, BLOCK_LIMITS.confirmButton, `${at}.confirm.confirm`, ['plain_text']);
    textObject(dialog.deny, BLOCK_LIMITS.confirmButton, `${at}.confirm.deny`, ['plain_text']);
  }
  return element.action_id as string;
}

function textObject(value: unknown, max: number, at: string, types = ['plain_text', 'mrkdwn']): void {
  const written = object(value, at);
  if (!types.includes(String(written.type))) throw new Problem(`${at}.type ${String(written.type)}`);
  only(written, ['type', 'text', written.type === 'mrkdwn' ? 'verbatim' : 'emoji'], at);
  text(written.text, max, `${at}.text`);
}

export function text(value: unknown, max: number, at: string): string {
  if (typeof value !== 'string' || value === '' || !value.isWellFormed())
    throw new Problem(`${at} is no text`);
  if (value.length > max) throw new Problem(`${at} has ${value.length} characters`);
  return value;
}

export function list(value: unknown, max: number, at: string): unknown[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > max)
    throw new Problem(`${at} is no list`);
  return value;
}

export function object(value: unknown, at: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Problem(`${at} is no object`);
  return value as Json;
}

export function only(value: Json, names: readonly string[], at: string): void {
  const other = Object.keys(value).find((name) => !names.includes(name));
  if (other !== undefined) throw new Problem(`${at}.${other} is unknown`);
}

function textsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    key === 'text' && typeof part === 'string' ? [part] : textsOf(part),
  );
}

/** Returns what Slack would render as mention or link in texts with formatting, such as `<!here>`. */
export function controlsIn(message: { text?: string; blocks?: unknown }): string[] {
  const formatted = [message.text ?? '', ...mrkdwnIn(message.blocks)];
  return formatted.flatMap((written) => written.match(/<[^>]*>/g) ?? []);
}

function mrkdwnIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('type' in value && value.type === 'mrkdwn' && 'text' in value) return [String(value.text)];
  return Object.values(value).flatMap(mrkdwnIn);
}
