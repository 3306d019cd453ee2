import { Migration } from '@mikro-orm/migrations';

/** Creates the five layers of an investigation, its event log and its chat, with their indexes. */
export class Migration20261121000000_initial extends Migration {
  override up(): void {
    // Substring search over alerts, analyses and timelines; a trusted extension, so no superuser is needed.
    this.addSql('create extension if not exists pg_trgm');

    this.addSql(`
      create table "alert_sessions" (
        "id" uuid not null,
        "alert_type" text not null,
        "alert_data" text not null,
        "chain_id" text not null,
        "status" text not null default 'PENDING',
        "author" text not null,
        "runbook_url" text null,
        "mcp_selection" jsonb null,
        "slack_message_fingerprint" text null,
        "error_message" text null,
        "final_analysis" text null,
        "executive_summary" text null,
        "executive_summary_error" text null,
        "current_stage_id" uuid null,
        "created_at" timestamptz(3) not null default now(),
        "started_at" timestamptz(3) null,
        "completed_at" timestamptz(3) null,
        "last_interaction_at" timestamptz(3) null,
        "deleted_at" timestamptz(3) null,
        "dispatched_at" timestamptz(3) null,
        "worker_id" text null,
        "attempt" int not null default 0,
        "lease_expires_at" timestamptz(3) null,
        "last_event_seq" int not null default 0,
        "last_timeline_sequence" int not null default 0,
        "input_tokens" bigint not null default '0',
        "output_tokens" bigint not null default '0',
        "thinking_tokens" bigint not null default '0',
        "total_tokens" bigint not null default '0',
        primary key ("id")
      )`);
    this.addSql(`create index "alert_sessions_page" on "alert_sessions" ("created_at", "id")`);
    this.addSql(`create index "alert_sessions_queue" on "alert_sessions" ("status", "created_at", "id")`);
    this.addSql(
      `create index "alert_sessions_alert_type" on "alert_sessions" ("alert_type", "created_at", "id")`,
    );
    this.addSql(`create index "alert_sessions_chain" on "alert_sessions" ("chain_id", "created_at", "id")`);
    this.addSql(`create index "alert_sessions_author" on "alert_sessions" ("author", "created_at", "id")`);
    this.addSql(
      `create index "alert_sessions_lease" on "alert_sessions" ("lease_expires_at") where "lease_expires_at" is not null`,
    );
    this.addSql(
      `create index "alert_sessions_alert_data_trgm" on "alert_sessions" using gin ("alert_data" gin_trgm_ops)`,
    );
    this.addSql(
      `create index "alert_sessions_final_analysis_trgm" on "alert_sessions" using gin ("final_analysis" gin_trgm_ops)`,
    );
    this.addSql(
      `alter table "alert_sessions" add constraint "alert_sessions_status_check" check ("status" in ('PENDING', 'IN_PROGRESS', 'CANCELLING', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'))`,
    );

    this.addSql(`
      create table "chats" (
        "id" uuid not null,
        "session_id" uuid not null,
        "created_by" text null,
        "created_at" timestamptz(3) not null default now(),
        primary key ("id")
      )`);
    this.addSql(`alter table "chats" add constraint "chats_session" unique ("session_id")`);

    this.addSql(`
      create table "chat_user_messages" (
        "id" uuid not null,
        "chat_id" uuid not null,
        "author" text not null,
        "content" text not null,
        "created_at" timestamptz(3) not null default now(),
        primary key ("id")
      )`);
    this.addSql(
      `create index "chat_user_messages_page" on "chat_user_messages" ("chat_id", "created_at", "id")`,
    );

    this.addSql(`
      create table "session_events" (
        "session_id" uuid not null,
        "seq" int not null,
        "type" text not null,
        "payload" jsonb not null,
        "created_at" timestamptz(3) not null default now(),
        primary key ("session_id", "seq")
      )`);
    this.addSql(
      `alter table "session_events" add constraint "session_events_type_check" check ("type" in ('SessionStatusChanged', 'StageStatusChanged', 'ExecutionStatusChanged', 'TimelineEventCreated', 'TimelineEventCompleted', 'ChatCreated', 'ChatMessageAdded'))`,
    );

    this.addSql(`
      create table "stages" (
        "id" uuid not null,
        "session_id" uuid not null,
        "name" text not null,
        "index" int not null,
        "type" text not null,
        "status" text not null default 'PENDING',
        "parallel_type" text null,
        "success_policy" text null,
        "expected_agent_count" int not null default 1,
        "referenced_stage_id" uuid null,
        "chat_message_id" uuid null,
        "attempt" int not null default 0,
        "cancel_requested_at" timestamptz(3) null,
        "error_message" text null,
        "created_at" timestamptz(3) not null default now(),
        "started_at" timestamptz(3) null,
        "completed_at" timestamptz(3) null,
        primary key ("id")
      )`);
    this.addSql(`create index "stages_chat_message" on "stages" ("chat_message_id")`);
    this.addSql(`alter table "stages" add constraint "stages_session_index" unique ("session_id", "index")`);
    this.addSql(
      `alter table "stages" add constraint "stages_type_check" check ("type" in ('INVESTIGATION', 'SYNTHESIS', 'CHAT', 'EXEC_SUMMARY'))`,
    );
    this.addSql(
      `alter table "stages" add constraint "stages_status_check" check ("status" in ('PENDING', 'ACTIVE', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'))`,
    );
    this.addSql(
      `alter table "stages" add constraint "stages_parallel_type_check" check ("parallel_type" in ('MULTI_AGENT', 'REPLICA'))`,
    );
    this.addSql(
      `alter table "stages" add constraint "stages_success_policy_check" check ("success_policy" in ('ALL', 'ANY'))`,
    );

    this.addSql(`
      create table "agent_executions" (
        "id" uuid not null,
        "session_id" uuid not null,
        "stage_id" uuid not null,
        "agent_name" text not null,
        "agent_index" int not null,
        "iteration_strategy" text not null,
        "llm_provider" text null,
        "llm_backend" text null,
        "model_name" text null,
        "status" text not null default 'PENDING',
        "error_message" text null,
        "created_at" timestamptz(3) not null default now(),
        "started_at" timestamptz(3) null,
        "completed_at" timestamptz(3) null,
        "input_tokens" bigint not null default '0',
        "output_tokens" bigint not null default '0',
        "thinking_tokens" bigint not null default '0',
        "total_tokens" bigint not null default '0',
        primary key ("id")
      )`);
    this.addSql(`create index "agent_executions_session" on "agent_executions" ("session_id")`);
    this.addSql(
      `alter table "agent_executions" add constraint "agent_executions_stage_index" unique ("stage_id", "agent_index")`,
    );
    this.addSql(
      `alter table "agent_executions" add constraint "agent_executions_iteration_strategy_check" check ("iteration_strategy" in ('SINGLE_CALL', 'REACT', 'LANGCHAIN', 'NATIVE_THINKING', 'SYNTHESIS', 'SYNTHESIS_NATIVE_THINKING'))`,
    );
    this.addSql(
      `alter table "agent_executions" add constraint "agent_executions_status_check" check ("status" in ('PENDING', 'ACTIVE', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'))`,
    );

    this.addSql(`
      create table "messages" (
        "id" uuid not null,
        "session_id" uuid not null,
        "stage_id" uuid not null,
        "execution_id" uuid not null,
        "sequence_number" int not null,
        "role" text not null,
        "content" text not null,
        "tool_calls" jsonb null,
        "tool_call_id" text null,
        "tool_name" text null,
        "created_at" timestamptz(3) not null default now(),
        primary key ("id")
      )`);
    this.addSql(`create index "messages_session" on "messages" ("session_id")`);
    this.addSql(`create index "messages_stage" on "messages" ("stage_id")`);
    this.addSql(
      `alter table "messages" add constraint "messages_execution_sequence" unique ("execution_id", "sequence_number")`,
    );
    this.addSql(
      `alter table "messages" add constraint "messages_role_check" check ("role" in ('SYSTEM', 'USER', 'ASSISTANT', 'TOOL'))`,
    );

    this.addSql(`
      create table "mcp_interactions" (
        "id" uuid not null,
        "session_id" uuid not null,
        "stage_id" uuid not null,
        "execution_id" uuid not null,
        "type" text not null,
        "server_name" text not null,
        "tool_name" text null,
        "tool_call_id" text null,
        "arguments" jsonb null,
        "result" jsonb null,
        "available_tools" jsonb null,
        "duration_ms" int not null,
        "error_message" text null,
        "created_at" timestamptz(3) not null default now(),
        primary key ("id")
      )`);
    this.addSql(
      `create index "mcp_interactions_session" on "mcp_interactions" ("session_id", "created_at", "id")`,
    );
    this.addSql(
      `create index "mcp_interactions_execution" on "mcp_interactions" ("execution_id", "created_at", "id")`,
    );
    this.addSql(`create index "mcp_interactions_stage" on "mcp_interactions" ("stage_id")`);
    this.addSql(
      `alter table "mcp_interactions" add constraint "mcp_interactions_type_check" check ("type" in ('TOOL_CALL', 'TOOL_LIST'))`,
    );

    this.addSql(`
      create table "llm_interactions" (
        "id" uuid not null,
        "session_id" uuid not null,
        "stage_id" uuid null,
        "execution_id" uuid null,
        "type" text not null,
        "iteration" int null,
        "provider" text not null,
        "model_name" text not null,
        "request" jsonb not null,
        "response" jsonb not null,
        "thinking" text null,
        "last_message_sequence" int null,
        "input_tokens" bigint not null default '0',
        "output_tokens" bigint not null default '0',
        "thinking_tokens" bigint not null default '0',
        "total_tokens" bigint not null default '0',
        "duration_ms" int not null,
        "error_message" text null,
        "created_at" timestamptz(3) not null default now(),
        primary key ("id")
      )`);
    this.addSql(
      `create index "llm_interactions_session" on "llm_interactions" ("session_id", "created_at", "id")`,
    );
    this.addSql(
      `create index "llm_interactions_execution" on "llm_interactions" ("execution_id", "created_at", "id")`,
    );
    this.addSql(`create index "llm_interactions_stage" on "llm_interactions" ("stage_id")`);
    this.addSql(
      `alter table "llm_interactions" add constraint "llm_interactions_type_check" check ("type" in ('ITERATION', 'FORCED_CONCLUSION', 'SYNTHESIS', 'SUMMARIZATION', 'EXECUTIVE_SUMMARY', 'CHAT_RESPONSE'))`,
    );

    this.addSql(`
      create table "timeline_events" (
        "id" uuid not null,
        "session_id" uuid not null,
        "stage_id" uuid null,
        "execution_id" uuid null,
        "sequence_number" int not null,
        "type" text not null,
        "status" text not null,
        "content" text not null default '',
        "metadata" jsonb null,
        "created_at" timestamptz(3) not null default now(),
        "updated_at" timestamptz(3) not null default now(),
        primary key ("id")
      )`);
    this.addSql(
      `create index "timeline_events_execution" on "timeline_events" ("execution_id", "sequence_number")`,
    );
    this.addSql(`create index "timeline_events_stage" on "timeline_events" ("stage_id")`);
    this.addSql(
      `create index "timeline_events_content_trgm" on "timeline_events" using gin ("content" gin_trgm_ops) where "status" <> 'STREAMING'`,
    );
    this.addSql(
      `alter table "timeline_events" add constraint "timeline_events_session_sequence" unique ("session_id", "sequence_number")`,
    );
    this.addSql(
      `alter table "timeline_events" add constraint "timeline_events_type_check" check ("type" in ('LLM_THINKING', 'LLM_RESPONSE', 'LLM_TOOL_CALL', 'MCP_TOOL_SUMMARY', 'ERROR', 'USER_QUESTION', 'EXECUTIVE_SUMMARY', 'FINAL_ANALYSIS', 'CODE_EXECUTION', 'GOOGLE_SEARCH_RESULT', 'URL_CONTEXT_RESULT'))`,
    );
    this.addSql(
      `alter table "timeline_events" add constraint "timeline_events_status_check" check ("status" in ('STREAMING', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'))`,
    );
    this.addSql(
      `alter table "chats" add constraint "chats_session_id_foreign" foreign key ("session_id") references "alert_sessions" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "chat_user_messages" add constraint "chat_user_messages_chat_id_foreign" foreign key ("chat_id") references "chats" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "session_events" add constraint "session_events_session_id_foreign" foreign key ("session_id") references "alert_sessions" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "stages" add constraint "stages_session_id_foreign" foreign key ("session_id") references "alert_sessions" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "agent_executions" add constraint "agent_executions_session_id_foreign" foreign key ("session_id") references "alert_sessions" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "agent_executions" add constraint "agent_executions_stage_id_foreign" foreign key ("stage_id") references "stages" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "messages" add constraint "messages_session_id_foreign" foreign key ("session_id") references "alert_sessions" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "messages" add constraint "messages_stage_id_foreign" foreign key ("stage_id") references "stages" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "messages" add constraint "messages_execution_id_foreign" foreign key ("execution_id") references "agent_executions" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "mcp_interactions" add constraint "mcp_interactions_session_id_foreign" foreign key ("session_id") references "alert_sessions" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "mcp_interactions" add constraint "mcp_interactions_stage_id_foreign" foreign key ("stage_id") references "stages" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "mcp_interactions" add constraint "mcp_interactions_execution_id_foreign" foreign key ("execution_id") references "agent_executions" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "llm_interactions" add constraint "llm_interactions_session_id_foreign" foreign key ("session_id") references "alert_sessions" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "llm_interactions" add constraint "llm_interactions_stage_id_foreign" foreign key ("stage_id") references "stages" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "llm_interactions" add constraint "llm_interactions_execution_id_foreign" foreign key ("execution_id") references "agent_executions" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "timeline_events" add constraint "timeline_events_session_id_foreign" foreign key ("session_id") references "alert_sessions" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "timeline_events" add constraint "timeline_events_stage_id_foreign" foreign key ("stage_id") references "stages" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "timeline_events" add constraint "timeline_events_execution_id_foreign" foreign key ("execution_id") references "agent_executions" ("id") on delete cascade`,
    );
  }
}
