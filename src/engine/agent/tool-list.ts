import { encloseUntrusted, toOneLine } from '../prompt-text/untrusted.ts';

export interface PromptTool {
  /** `server.tool` */
  name: string;
  description: string;
  /** JSON Schema of an object; untrusted. */
  inputSchema: Record<string, unknown>;
}

/** Maximum length of all descriptions together (UTF-16 code units): about 15k tokens. */
const MAX_LIST_UNITS = 60_000;
const MAX_DESCRIPTION_UNITS = 800;
const MAX_PARAMETER_UNITS = 300;
const MAX_PARAMETERS = 40;
const MAX_ENUM_VALUES = 20;

/** Returns the enclosed list of tools with their parameters. Tools beyond MAX_LIST_UNITS are listed by name only. */
export function describeTools(tools: readonly PromptTool[]): string {
  const described: string[] = [];
  const named: string[] = [];
  let units = 0;
  for (const tool of tools) {
    const text = describeTool(tool);
    units += text.length;
    if (units <= MAX_LIST_UNITS) described.push(text);
    else named.push(tool.name);
  }
  const more = named.length === 0 ? '' : `\nMore tools, without descriptions: ${named.join(', ')}`;
  return encloseUntrusted('TOOL LIST', described.join('\n') + more);
}

export function listTools(tools: readonly PromptTool[]): string {
  const lines = tools.map(({ name, description }) => {
    const words = toOneLine(description, 200);
    return words === '' ? `- ${name}` : `- ${name}: ${words}`;
  });
  return encloseUntrusted('TOOL LIST', lines.join('\n'));
}

function describeTool(tool: PromptTool): string {
  const description = toOneLine(tool.description, MAX_DESCRIPTION_UNITS);
  const head = description === '' ? `- ${tool.name}` : `- ${tool.name}: ${description}`;
  const { properties, required } = tool.inputSchema;
  if (!isRecord(properties)) return head;
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  const all = Object.entries(properties);
  const lines = all
    .slice(0, MAX_PARAMETERS)
    .map(([name, schema]) => describeParameter(name, schema, needed.has(name)));
  if (all.length > MAX_PARAMETERS) lines.push(`  - … and ${all.length - MAX_PARAMETERS} more parameters`);
  return [head, ...lines].join('\n');
}

function describeParameter(name: string, schema: unknown, isRequired: boolean): string {
  const known = isRecord(schema) ? schema : {};
  const facts = [typeOf(known), isRequired ? 'required' : 'optional'];
  if (Array.isArray(known.enum))
    facts.push(`one of ${known.enum.slice(0, MAX_ENUM_VALUES).map(json).join(', ')}`);
  if (known.default !== undefined) facts.push(`default ${json(known.default)}`);
  const description = typeof known.description === 'string' ? known.description : '';
  const head = `  - ${toOneLine(name, 100)} (${facts.filter((fact) => fact !== '').join(', ')})`;
  return description === '' ? head : `${head}: ${toOneLine(description, MAX_PARAMETER_UNITS)}`;
}

function typeOf(schema: Record<string, unknown>, depth = 0): string {
  const { type, items, properties } = schema;
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices) && depth < 2) {
    const types = choices.slice(0, 5).map((choice) => (isRecord(choice) ? typeOf(choice, depth + 1) : ''));
    return [...new Set(types.filter((word) => word !== ''))].join(' or ');
  }
  if (Array.isArray(type)) return toOneLine(type.filter((word) => typeof word === 'string').join(' or '), 60);
  if (type === 'array' && isRecord(items) && depth < 2) {
    const item = typeOf(items, depth + 1);
    return item === '' ? 'array' : `array of ${item}`;
  }
  if (type === 'object' && isRecord(properties) && depth < 2) {
    const names = Object.keys(properties).slice(0, MAX_ENUM_VALUES);
    return names.length === 0 ? 'object' : toOneLine(`object with ${names.join(', ')}`, MAX_PARAMETER_UNITS);
  }
  return typeof type === 'string' ? toOneLine(type, 30) : '';
}

const json = (value: unknown): string => toOneLine(JSON.stringify(value) ?? '', 60);

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
