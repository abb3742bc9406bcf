/**
 * Mutants of the code for items other than events: their ids, the storage of these ids, and the
 * inserts of their rows.
 */
import type { Mutant } from './plant-mutant.ts'

export const itemMutants: readonly Mutant[] = [
  {
    name: 'an item of a repeated request has a new id',
    place: 'id-of-first-equal-item',
    find: '    if (equalBefore === 0) return first\n',
    replace: '    if (equalBefore === 0) return this.#newId()\n',
  },
  {
    name: 'equal items of two envelopes have the same id',
    place: 'hash-envelope',
    find: '    return hash.update(this.#bytes.subarray(start, end))\n',
    replace: '    return hash\n',
  },
  {
    name: 'requests do not wait for items that cost no quota',
    place: 'append-free-item',
    find: '        payloadEnd: end,\n      },\n      waiter,\n    )\n',
    replace:
      '        payloadEnd: end,\n      },\n      { ...waiter, hold() {}, release() {}, expire() {} },\n    )\n',
  },
  {
    name: 'a duplicate of an item is digested',
    place: 'find-item-copy',
    find: '    const category = categoryOf(record)\n    if (this.#fates.isDuplicate(record, ordinal)) {\n',
    replace:
      '    const category = categoryOf(record)\n    if (this.#fates.isDuplicate(record, ordinal) && ordinal < 0) {\n',
  },
  {
    name: 'a duplicate of an item has no outcome',
    place: 'count-duplicate-item',
    find: "      this.#count(record, { outcome: 'duplicate', reason: '', category })\n",
    replace: '',
  },
  {
    name: 'accepted items are not added to the window',
    place: 'enter-accepted-items',
    find: "    if (fate.kind === 'kept') {\n      this.#accepted.push(ordinal)\n",
    replace: "    if (fate.kind === 'kept') {\n",
  },
  {
    name: 'a duplicate of an item within one range is digested',
    place: 'enter-accepted-items',
    find: "    if (fate.kind === 'kept') {\n      this.#accepted.push(ordinal)\n      this.#fates.accepted(record, ordinal)\n",
    replace: "    if (fate.kind === 'kept') {\n      this.#accepted.push(ordinal)\n",
  },
  {
    name: 'the ids of items are not stored',
    place: 'keep-item-ids',
    find: '      this.itemIds.push({ projectId, recordId, receivedAtMs })\n',
    replace: '',
  },
  {
    name: 'the ids of items are not read at a take-over',
    place: 'read-item-ids',
    find: '  await ranges.readItemIds(partition, window)\n',
    replace: '',
  },
  {
    name: 'the lines of a client report count twice',
    place: 'count-discards',
    find: '    for (const { quantity, reason, category } of report.discards) {\n',
    replace:
      '    for (const { quantity, reason, category } of [...report.discards, ...report.discards]) {\n',
  },
  {
    name: 'sessions are not inserted',
    place: 'insert-sessions',
    find: "  if (sessionRows.length > 0) await insertRows(ctx, owned, 'sessions', sessionRows)\n",
    replace: '',
  },
  {
    name: 'sessions are inserted under the token of another range',
    place: 'insert-under-token',
    find: '  await ctx.rows.insert({ table, rows, token: rangeToken(owned.cursor, table) })\n',
    replace:
      "  const place = table === 'sessions' ? { ...owned.cursor, plannedSeq: 0, committedSeq: 0 } : owned.cursor\n  await ctx.rows.insert({ table, rows, token: rangeToken(place, table) })\n",
  },
]
