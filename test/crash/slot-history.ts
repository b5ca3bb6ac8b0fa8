/** Whose each slot was under each lease, as triggers in the test's database write it down: by the slots, and by what was worked at. */
import type { Database } from '../../store/database.ts'
import type { DatabaseAddress } from '../../store/postgres/address.ts'
import { openPool } from '../../store/postgres/pool.ts'

const history = `
  create table crash_slot_history (slot integer, lease_epoch bigint, node_epoch bigint, source text);
  insert into crash_slot_history select slot, lease_epoch, node_epoch, 'slot' from slots where node_epoch is not null;

  create function crash_note_slot() returns trigger language plpgsql security definer as $$ begin
    insert into public.crash_slot_history values (new.slot, new.lease_epoch, new.node_epoch, 'slot');
    return null;
  end $$;
  create trigger crash_slots after update on slots for each row when (new.node_epoch is not null)
    execute function crash_note_slot();

  create function crash_note_turn() returns trigger language plpgsql security definer as $$ begin
    insert into public.crash_slot_history values (service_slot(new.conversation_id), new.lease_epoch, new.epoch, 'turn');
    return null;
  end $$;
  create trigger crash_turns_new after insert on turns for each row
    when (new.lease_epoch is not null and new.conversation_id is not null) execute function crash_note_turn();
  create trigger crash_turns after update on turns for each row
    when (new.lease_epoch is not null and new.conversation_id is not null
      and (new.lease_epoch, new.epoch) is distinct from (old.lease_epoch, old.epoch)) execute function crash_note_turn();
  grant select on crash_slot_history to service_system`

/** Once, when the schema is there. */
export async function keepSlotHistory(address: DatabaseAddress): Promise<void> {
  const driver = openPool(address, { name: 'crash test', connectionsMax: 1, statementMs: 5_000 })
  await driver.unsafe(history)
  await driver.end({ timeout: 2 })
}

/** A slot is one node's under one lease, and who works at a turn under it is that node. */
export async function judgeSlots(db: Database): Promise<{ leases: number; wrongs: string[] }> {
  const [counted] = await db.system<{ leases: number }>`
    select count(distinct (slot, lease_epoch))::integer as leases from crash_slot_history where source = 'slot'`
  const rows = await db.system<{ slot: number; lease: string; nodes: string }>`
    select slot, lease_epoch as lease, string_agg(distinct source || ' of node ' || node_epoch, ', ') as nodes
    from crash_slot_history group by slot, lease_epoch
    having count(distinct node_epoch) > 1 or not bool_or(source = 'slot')`
  return {
    leases: counted?.leases ?? 0,
    wrongs: rows.map(({ slot, lease, nodes }) => `slot ${slot} has two owners under lease ${lease}: ${nodes}`),
  }
}
