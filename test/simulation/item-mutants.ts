/**
 * Mistakes in what items that are no events rest on: their ids, where these are kept, and how their
 * rows are inserted.
 */
import type { Mutant } from './mutants.ts'

const freeRecords = 'workers/digest/free-records.ts'
const freeRecordIds = 'ingest/records/free-record-ids.ts'
const appendPlan = 'ingest/records/append-plan.ts'
const digestRange = 'workers/digest/digest-range.ts'
const ownedPartition = 'workers/ownership/owned-partition.ts'
const storeRange = 'workers/partitions/store-range.ts'

export const itemMutants: readonly Mutant[] = [
  {
    name: 'an item of a repeated request has another id',
    file: freeRecordIds,
    find: '    if (equalBefore === 0) return first\n',
    replace: '    if (equalBefore === 0) return this.#newId()\n',
  },
  {
    name: 'equal items of two envelopes have the same id',
    file: freeRecordIds,
    find: '    return hash.update(this.#bytes.subarray(start, end))\n',
    replace: '    return hash\n',
  },
  {
    name: 'items without a charge are not waited for',
    file: appendPlan,
    find: '        payloadEnd: end,\n      },\n      waiter,\n    )\n',
    replace:
      '        payloadEnd: end,\n      },\n      { ...waiter, hold() {}, release() {}, expire() {} },\n    )\n',
  },
  {
    name: 'a copy of an item is digested',
    file: digestRange,
    find: '    const category = categoryOf(record)\n    if (this.#fates.isDuplicate(record, ordinal)) {\n',
    replace:
      '    const category = categoryOf(record)\n    if (this.#fates.isDuplicate(record, ordinal) && ordinal < 0) {\n',
  },
  {
    name: 'a copy of an item has no outcome',
    file: digestRange,
    find: "      this.#count(record, { outcome: 'duplicate', reason: '', category })\n",
    replace: '',
  },
  {
    name: 'accepted items do not enter the window',
    file: digestRange,
    find: "    if (fate.kind === 'kept') {\n      this.#accepted.push(ordinal)\n",
    replace: "    if (fate.kind === 'kept') {\n",
  },
  {
    name: 'a copy of an item within one range is digested',
    file: digestRange,
    find: "    if (fate.kind === 'kept') {\n      this.#accepted.push(ordinal)\n      this.#fates.accepted(record, ordinal)\n",
    replace: "    if (fate.kind === 'kept') {\n      this.#accepted.push(ordinal)\n",
  },
  {
    name: 'the ids of items are not kept',
    file: freeRecords,
    find: '      this.itemIds.push({ projectId, recordId, receivedAtMs })\n',
    replace: '',
  },
  {
    name: 'the ids of items are not read at a take-over',
    file: ownedPartition,
    find: '  await ranges.readItemIds(partition, window)\n',
    replace: '',
  },
  {
    name: 'the lines of a report count twice',
    file: freeRecords,
    find: '    for (const { quantity, reason, category } of report.discards) {\n',
    replace:
      '    for (const { quantity, reason, category } of [...report.discards, ...report.discards]) {\n',
  },
  {
    name: 'sessions are not inserted',
    file: storeRange,
    find: "  if (sessionRows.length > 0) await insertRows(ctx, owned, 'sessions', sessionRows)\n",
    replace: '',
  },
  {
    name: 'sessions are inserted under the token of another range',
    file: storeRange,
    find: '  await ctx.rows.insert({ table, rows, token: rangeToken(owned.cursor, table) })\n',
    replace:
      "  const place = table === 'sessions' ? { ...owned.cursor, plannedSeq: 0, committedSeq: 0 } : owned.cursor\n  await ctx.rows.insert({ table, rows, token: rangeToken(place, table) })\n",
  },
]
