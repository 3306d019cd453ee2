/** Numbers of the engine that are not configuration: each with its unit and its reason. */

/** Alert text, in UTF-8 bytes: the contract's limit. */
export const ALERT_MAX_BYTES = 1024 * 1024;

/** Alerts that one statement stores at most, and their text in UTF-16 code units (the last one may exceed it). */
export const STORED_AT_ONCE = 100;
export const STORED_AT_ONCE_UNITS = 1024 * 1024;

/** … and how long (ms) alerts wait at most for a statement that is under way: one may be slow for reasons of its own. */
export const STORE_WAIT_MS = 100;

/** How many sessions wait is counted this often (ms) while alerts come in: what one process sees late of the others. */
export const PENDING_COUNT_MS = 1_000;

/** While others of its stage run, an agent that waits for people looks this often (ms) whether they have decided. */
export const APPROVAL_LOOK_MS = 500;

/** Streaming text in one announcement, in UTF-16 code units. */
export const CHUNK_MAX_UNITS = 4096;

/** What is announced gathers so long that announcing takes at most this share of the time. */
export const ANNOUNCE_BUSY_SHARE = 0.2;

/** … but no longer than this (ms): it may have taken long because the connection was frozen, not because the database is busy. */
export const ANNOUNCE_LONGEST_PAUSE_MS = 1_000;

/** Announcements that wait while the database is slow; beyond that those that wait are dropped. */
export const ANNOUNCE_MAX_WAITING = 10_000;

/** Milliseconds that one batch of announcements may take. */
export const ANNOUNCE_TIMEOUT_MS = 5_000;

/** Whoever follows sessions looks this often (ms) for what was not announced: by a process that died, for one. */
export const LOOK_MS = 1_000;

/** … at the sessions that came or ended so long ago at most (s): longer than a look is ever late. */
export const LOOK_BACK_S = 10;

/** Bytes of one NOTIFY payload; PostgreSQL refuses 8000 and more. */
export const NOTIFY_MAX_BYTES = 7900;

/** A growing timeline text is saved this often (ms): what a crash may lose, and what a late joiner may wait. */
export const CHECKPOINT_MS = 500;

/** Events read from the log at once, and their bytes (the last event may exceed them): bounds the memory of a replay. */
export const REPLAY_PAGE = 500;
export const REPLAY_PAGE_BYTES = 256 * 1024;

/** … the first time, when nothing is known of their size. */
export const REPLAY_FIRST_PAGE = 100;

/**
 * Pieces of one growing text go to subscribers at once while telling them takes at most this share of the time: to a few
 * it takes none.
 */
export const FEED_LIGHT_SHARE = 0.2;

/**
 * … else as rarely as that needs, but at least this often (ms): a thousand subscribers cost by the messages they get, and
 * an eye does not tell twenty updates a second from two hundred.
 */
export const FEED_COALESCE_MS = 45;

/**
 * … or so much more rarely that telling them takes at most this share of the time: thousands of subscribers would else
 * leave no time for anything else, and all texts would come late.
 */
export const FEED_BUSY_SHARE = 0.75;

/** … but at least this often (ms): telling may have taken long because the machine stood still. */
export const FEED_LONGEST_WAIT_MS = 500;

/** Waits between attempts to reconnect the LISTEN connection (ms): first, growing to the last. */
export const LISTEN_RETRY_MS = [100, 200, 500, 1000, 2000] as const;

/**
 * The LISTEN connection is probed this often, and lost when it does not answer in time (ms each): live pages stand still
 * until a dead peer, which sends nothing, is noticed.
 */
export const LISTEN_TIMING = { probeMs: 5_000, deadlineMs: 5_000 } as const;

/** Milliseconds that a run may take to come to its end once it was told to stop; then its session goes on without it. */
export const SETTLE_LIMIT_MS = 15_000;

/** Milliseconds that a process which stops tries to hand its sessions over: less than it has in all. */
export const STOP_LIMIT_MS = 20_000;

/** Milliseconds that a session waits for a budget, at most, until it looks again: an operator may have raised it. */
export const BUDGET_WAIT_MAX_MS = 6 * 3_600_000;

/**
 * Failures of a provider in a row, over all agents of a process, after which nobody turns to it for so many milliseconds where
 * another can take its place; then one call at a time tries. One that refuses its key or its quota is left alone at once.
 */
export const CIRCUIT_FAILURES = 3;
export const CIRCUIT_OPEN_MS = 60_000;

/** Milliseconds until a provider that said nothing is asked once more, at most: not all agents at the same moment. */
export const SILENT_RETRY_MS = 2_000;

/** Iteration timeouts in a row after which an agent gives up. */
export const MAX_CONSECUTIVE_TIMEOUTS = 2;

/** Tool calls of one response that run side by side. */
export const MAX_PARALLEL_TOOL_CALLS = 4;

/**
 * Text of a tool result kept in the timeline, and given to the model when it could not be summarized, in UTF-16 code
 * units: 8k tokens at 4 a token.
 */
export const STORED_RESULT_MAX_UNITS = 8000 * 4;

/** Text of a failed tool call beside its result in the trace, in UTF-16 code units: a headline. */
export const ERROR_MESSAGE_MAX_UNITS = 2000;

/** Text of a tool result given to the model where results are not summarized: 100k tokens at 4 a token. */
export const MODEL_RESULT_MAX_UNITS = 100_000 * 4;

/**
 * A summary's input: the tool result, 100k tokens at 4 a token, and what is told of the conversation, 20k tokens. The
 * result is what the call is for; the conversation only tells what to look for in it.
 */
export const SUMMARY_INPUT_MAX_UNITS = 100_000 * 4;
export const SUMMARY_CONTEXT_MAX_UNITS = 20_000 * 4;

/** How far a summary may exceed its limit before it is cut: the limit is told to the model, whose count is not ours. */
export const SUMMARY_OVERRUN = 2;

/** Weight of a token where a prompt must fit into a model's window: `weightOf` counts in thirds, about letters. */
export const UNITS_PER_PROMPT_TOKEN = 3;

/** Part of the window that stays free for the answer, and its largest size in tokens. */
export const ANSWER_SHARE = 0.25;
export const ANSWER_MAX_TOKENS = 32_000;

/**
 * Part of the window above which old results are taken out of a conversation, and down to which: the more at once, the
 * more rarely, and each time a provider reads anew what it had cached.
 */
export const EVICT_ABOVE_SHARE = 0.7;
export const EVICT_TO_SHARE = 0.3;

/**
 * A result that a model is given whole, at most this part of what fits into its window; of a longer one it gets such a
 * part. At least so many UTF-16 code units, which a small window holds, and of the beginning and end at most 2k tokens.
 */
export const WHOLE_RESULT_SHARE = 1 / 8;
export const WHOLE_RESULT_MIN_UNITS = 2000;
export const PART_SHARE = 1 / 36;
export const PART_MIN_UNITS = 1000;
export const PART_MAX_UNITS = 8000;

/** Part of what was sent that is sent again after a provider found it too long. */
export const REFUSED_SHARE = 0.5;

/** What is left of an old tool result where the conversation is too long, in UTF-16 code units. */
export const SHORTENED_RESULT_UNITS = 2000;

/** … at least of each other text, and, where nothing else is left to shorten, of the alert and the latest results. */
export const MIN_SHORTENED_TEXT_UNITS = 4000;
export const MIN_SHORTENED_KEPT_UNITS = 1000;

/**
 * Of a text, and of all tool outputs together, that a request carries as data beside its messages, in UTF-16 code units:
 * more than rules read of it, and little beside what the messages may hold.
 */
export const TASK_TEXT_UNITS = 100_000;
export const TASK_OUTPUTS_UNITS = 500_000;

/**
 * Results of tools that the report is made of: at most this part of what fits into the model's window, and so many UTF-16 code
 * units, 40k tokens at 4 a token. What is cut of them is held against the whole all the same.
 */
export const REPORT_RESULTS_SHARE = 0.5;
export const REPORT_RESULTS_MAX_UNITS = 40_000 * 4;

/** Bytes of a session that is exported: with what JSON adds to it, less than an answer of the API may have. */
export const EXPORT_MAX_BYTES = 4 * 1024 * 1024;

/** Tools of servers that are offered to the model at once: providers refuse more than 128, and some are our own. */
export const MAX_TOOLS = 118;

/**
 * … and UTF-16 code units of their definitions: 20k tokens at 4 a token. They go with every call of the model, and leave
 * a small one room for the conversation; the tools of four usual servers fit.
 */
export const MAX_TOOL_UNITS = 20_000 * 4;

/** Empty responses that are answered with a nudge before they count as failures. */
export const MAX_EMPTY_RESPONSES = 2;

/** Text of a broken-off response that the next attempt is reminded of, in UTF-16 code units. */
export const PARTIAL_FEEDBACK_UNITS = 2000;

/** Largest message to and from the LLM service, in bytes: a whole conversation with large tool results. */
export const LLM_MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** Sessions of the live list read at once: after an outage thousands may have changed. */
export const LIST_PAGE = 200;

/**
 * Changes that were missed are looked for from this much earlier on (s): their times are those at which their
 * transactions began, and a notice may be on its way while a probe is answered.
 */
export const CATCH_UP_MARGIN_S = 30;

/** Milliseconds until a feed that could not read the log tries again. */
export const FEED_RETRY_MS = 500;

/**
 * A response that ends with the same passage this often in a row is a loop. Passages shorter than the least are
 * rulers and tables; the longest bounds the work; a look is taken each time this much text came, at this much text.
 */
export const LOOP_REPEATS = 5;
export const LOOP_MIN_PATTERN = 30;
export const LOOP_RULER_UNITS = 3000; // a run of few different characters, such as ----, must be this long
export const LOOP_MAX_PATTERN = 500;
export const LOOP_CHECK_UNITS = 2000;
export const LOOP_WINDOW_UNITS = 6000;

/** Characters of a chat question: the contract's limit. */
export const CHAT_MAX_LENGTH = 100_000;

/** Characters of what a review says, of each of its texts. */
export const REVIEW_TEXT_MAX_LENGTH = 10_000;

/** Milliseconds that one call of Slack's API may take, and one attempt at a message with all its calls. */
export const SLACK_CALL_MS = 10_000;
export const SLACK_ATTEMPT_MS = 60_000;

/** Milliseconds from a failed attempt at a message to the next, over about half a day; Slack may ask for more. */
export const SLACK_RETRY_MS = [
  5_000, 15_000, 60_000, 300_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 14_400_000,
] as const;
