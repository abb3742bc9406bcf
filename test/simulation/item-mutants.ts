/**
 * Mistakes in what items that are no events rest on: their ids, where these are kept, and how their
 * rows are inserted.
 */
import type { Mutant } from './plant-mutant.ts'

export const itemMutants: readonly Mutant[] = [
  {
    name: 'an item of a repeated request has another id',
    place: 'item-repeated-request-another-id',
    find: '    if (equalBefore === 0) return first\n',
    replace: '    if (equalBefore === 0) return this.#newId()\n',
  },
  {
    name: 'equal items of two envelopes have the same id',
    place: 'equal-items-two-envelopes-same',
    find: '    return hash.update(this.#bytes.subarray(start, end))\n',
    replace: '    return hash\n',
  },
  {
    name: 'items without a charge are not waited for',
    place: 'items-without-charge-not-waited',
    find: '        payloadEnd: end,\n      },\n      waiter,\n    )\n',
    replace:
      '        payloadEnd: end,\n      },\n      { ...waiter, hold() {}, release() {}, expire() {} },\n    )\n',
  },
  {
    name: 'a copy of an item is digested',
    place: 'copy-item-digested',
    find: '    const category = categoryOf(record)\n    if (this.#fates.isDuplicate(record, ordinal)) {\n',
    replace:
      '    const category = categoryOf(record)\n    if (this.#fates.isDuplicate(record, ordinal) && ordinal < 0) {\n',
  },
  {
    name: 'a copy of an item has no outcome',
    place: 'copy-item-no-outcome',
    find: "      this.#count(record, { outcome: 'duplicate', reason: '', category })\n",
    replace: '',
  },
  {
    name: 'accepted items do not enter the window',
    place: 'accepted-items-do-not-enter',
    find: "    if (fate.kind === 'kept') {\n      this.#accepted.push(ordinal)\n",
    replace: "    if (fate.kind === 'kept') {\n",
  },
  {
    name: 'a copy of an item within one range is digested',
    place: 'accepted-items-do-not-enter',
    find: "    if (fate.kind === 'kept') {\n      this.#accepted.push(ordinal)\n      this.#fates.accepted(record, ordinal)\n",
    replace: "    if (fate.kind === 'kept') {\n      this.#accepted.push(ordinal)\n",
  },
  {
    name: 'the ids of items are not kept',
    place: 'ids-items-not-kept',
    find: '      this.itemIds.push({ projectId, recordId, receivedAtMs })\n',
    replace: '',
  },
  {
    name: 'the ids of items are not read at a take-over',
    place: 'ids-items-not-read-at',
    find: '  await ranges.readItemIds(partition, window)\n',
    replace: '',
  },
  {
    name: 'the lines of a report count twice',
    place: 'lines-report-count-twice',
    find: '    for (const { quantity, reason, category } of report.discards) {\n',
    replace:
      '    for (const { quantity, reason, category } of [...report.discards, ...report.discards]) {\n',
  },
  {
    name: 'sessions are not inserted',
    place: 'sessions-not-inserted',
    find: "  if (sessionRows.length > 0) await insertRows(ctx, owned, 'sessions', sessionRows)\n",
    replace: '',
  },
  {
    name: 'sessions are inserted under the token of another range',
    place: 'sessions-inserted-under-token-another',
    find: '  await ctx.rows.insert({ table, rows, token: rangeToken(owned.cursor, table) })\n',
    replace:
      "  const place = table === 'sessions' ? { ...owned.cursor, plannedSeq: 0, committedSeq: 0 } : owned.cursor\n  await ctx.rows.insert({ table, rows, token: rangeToken(place, table) })\n",
  },
]
