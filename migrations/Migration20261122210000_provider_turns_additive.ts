import { Migration } from '@mikro-orm/migrations';

/** Adds to messages the encrypted provider state, and whether a tool call failed. */
export class Migration20261122210000_provider_turns_additive extends Migration {
  override up(): void {
    this.addSql(
      `alter table "messages" add column "failed" boolean not null default false, add column "provider_turn" text null`,
    );
  }
}
