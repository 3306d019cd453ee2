import type { ToolCallValue } from '../../db/entities/index.ts';
import type { TimelineEventType } from '../../db/enums.ts';
import type { LlmTool } from '../model/client.ts';
import type { LlmRequest } from '../model/request.ts';
import type { NewMessage } from '../store/messages.ts';

/** What an answer of the model asks for. */
export type Turn =
  | { kind: 'calls'; calls: readonly ToolCallValue[] }
  | { kind: 'final'; analysis: string }
  /** Nothing that can be done: people are told what is wrong with it, and the model how to mend it. */
  | { kind: 'unusable'; problem: string; feedback: string }
  | { kind: 'empty'; feedback: string };

/** What a text that streamed turned out to be; what is not said stays as it streamed. */
export interface TextOutcome {
  type?: TimelineEventType;
  content?: string;
  metadata?: Record<string, unknown>;
}

/** An answer as it was understood. */
export interface ParsedAnswer {
  turn: Turn;
  /** What of its text stays in the conversation. */
  content: string;
  said: TextOutcome;
}

/** The text and the calls of an answer. */
export interface ModelAnswer {
  text: string;
  toolCalls: readonly ToolCallValue[];
  /** What of the text was shown while it arrived. */
  shown: string;
}

/** What of a text may be shown while it arrives. */
export interface TextGate {
  /** @returns what may be shown by now and was not yet */
  add(delta: string): string;
  /** The text is complete, or broke off. @returns the rest that may be shown */
  end(): string;
}

/** Tools as they go with a request; `reactTools`: those that the model names in text. */
export type RequestTools = Pick<LlmRequest, 'tools' | 'reactTools' | 'toolChoice'>;

/** How tools are told to a model, and its answers are read: one for each way in which models ask for tools. */
export interface Codec {
  /** Added to the system's message; undefined = the provider tells the model of its tools. */
  instructions(tools: readonly LlmTool[]): string | undefined;
  offered(tools: readonly LlmTool[]): RequestTools;
  gate(): TextGate;
  /** A text of the model as the trace may keep it. */
  traced(text: string): string;
  /** What of an answer that broke off may be told back. */
  partial(text: string): string;
  /** @param sequence the answer's place in the conversation, from 1: the same whenever it is read */
  read(answer: ModelAnswer, tools: readonly LlmTool[], sequence: number): ParsedAnswer;
  /** Reads an answer to somebody who wants a conclusion: any form will do. */
  readConclusion(answer: ModelAnswer): ParsedAnswer;
  /** Results of tools as messages of this conversation. */
  results(messages: readonly NewMessage[]): readonly NewMessage[];
  /** Told to the model after an answer that broke off. @param partial what had arrived, cut to a readable length */
  brokenPrompt(reason: string, partial: string): string;
  /** Asks for a conclusion. @param words why, and what it shall hold */
  conclusionPrompt(words: string): string;
}
