import type { ToolCallValue } from '../../db/entities/index.ts';
import type { TimelineEventType } from '../../db/enums.ts';
import type { LlmTool } from '../model/client.ts';
import type { LlmRequest } from '../model/request.ts';
import type { NewMessage } from '../store/messages.ts';

/** Meaning of a model's response: tool calls, a final analysis, or nothing usable. */
export type Turn =
  | { kind: 'calls'; calls: readonly ToolCallValue[] }
  | { kind: 'final'; analysis: string }
  /** An invalid response. `problem` is shown to viewers; `feedback` tells the model how to correct it. */
  | { kind: 'unusable'; problem: string; feedback: string }
  | { kind: 'empty'; feedback: string };

/** Final properties of the timeline item of a streamed text; omitted properties keep their streamed values. */
export interface TextOutcome {
  type?: TimelineEventType;
  content?: string;
  metadata?: Record<string, unknown>;
}

export interface ParsedAnswer {
  turn: Turn;
  /** Part of the answer's text that stays in the conversation. */
  content: string;
  said: TextOutcome;
}

export interface RawAnswer {
  text: string;
  toolCalls: readonly ToolCallValue[];
  /** Part of the text that viewers saw during streaming. */
  shown: string;
}

/** Selects the part of a streaming text that viewers may see. */
export interface TextGate {
  /** Adds a piece of text. @returns the newly visible part */
  add(delta: string): string;
  /** Ends the text, complete or interrupted. @returns visible text held back because it might begin a hidden part */
  end(): string;
}

/** The tools of a request. `reactTools`: tools that the model calls in text. */
export type RequestTools = Pick<LlmRequest, 'tools' | 'reactTools' | 'toolChoice'>;

/** Formats tools for a model and parses its responses. Each way of calling tools (functions, ReAct) has its own. */
export interface Codec {
  /** Returns the tools as text for the system message; `undefined` if the provider describes them to the model. */
  instructions(tools: readonly LlmTool[]): string | undefined;
  offered(tools: readonly LlmTool[]): RequestTools;
  gate(): TextGate;
  /** Returns a model's text for the trace, with the tool arguments in it masked. */
  traced(text: string): string;
  /** Returns the part of an interrupted response that may be sent back to the model. */
  partial(text: string): string;
  /**
   * Parses a complete response. @param sequence the message's sequence number, from 1. Generated call ids
   * contain it, so that they are the same in every run.
   */
  read(answer: RawAnswer, tools: readonly LlmTool[], sequence: number): ParsedAnswer;
  /** Parses the response to a request for a conclusion; accepts any format. */
  readConclusion(answer: RawAnswer): ParsedAnswer;
  results(messages: readonly NewMessage[]): readonly NewMessage[];
  /**
   * Returns the message that asks for a conclusion. @param words prompt with the reason and the expected
   * content
   */
  conclusionPrompt(words: string): string;
}
