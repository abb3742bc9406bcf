/**
 * Mutants: plausible defects, each a change of one marked place. The simulation must detect every
 * one (run-mutants.ts). The last group breaks guarantees of Postgres or the disk in their simulated
 * versions, because the product implements them in SQL and system calls.
 */
import { itemMutants } from './item-mutants.ts'
import type { Mutant } from './plant-mutant.ts'

export const mutants: readonly Mutant[] = [
  // The promise of a 200.
  {
    name: 'requests are answered before their frame is in the write-ahead log',
    place: 'start-to-log-frame',
    find: '    entry.isBeingLogged = true\n',
    replace: '    entry.isBeingLogged = true\n    this.#pass(entry, false)\n',
  },
  {
    name: 'requests are answered while the broker is unavailable and their frame is not logged',
    place: 'pass-frame-without-broker',
    find: '    if (entry.place !== undefined) this.#pass(entry, false)\n    else this.#logs(token, entry)\n',
    replace: '    this.#logs(token, entry)\n    this.#pass(entry, false)\n',
  },
  {
    name: 'a failed write to the log counts as written',
    place: 'failed-log-write',
    find: '        for (const { onLogged } of group) onLogged(undefined)\n',
    replace:
      '        const lost = this.#segmentFor(0)\n        for (const { frame, onLogged } of group) onLogged(lost.add(frame.partition, frame.counter))\n',
  },
  {
    name: 'requests do not wait for their outcomes',
    place: 'hold-for-outcomes',
    find: '  waiter.hold()\n  tally.add(key, sdk, outcomes, waiter)\n',
    replace: '  tally.add(key, sdk, outcomes, undefined)\n',
  },
  {
    name: 'events over quota are answered 200',
    place: 'reply-over-quota',
    find: '  if (refusal !== undefined) {\n    const waitSeconds',
    replace: '  if (refusal !== undefined && ids.length < 0) {\n    const waitSeconds',
  },
  // Frames and the write-ahead log.
  {
    name: 'the counter of a frame is used twice',
    place: 'next-frame-counter',
    find: '    open.nextCounter += 1\n',
    replace: '    if (open.nextCounter !== 3) open.nextCounter += 1\n',
  },
  {
    name: 'a segment is removed when it is acknowledged, before it is committed',
    place: 'confirm-segment',
    find: '      if (!digested.coversAll(part.held)) isConfirmed = false\n',
    replace: '      if (part.waiting > 0) isConfirmed = false\n',
  },
  {
    name: 'a frame that the broker lost is not searched for',
    place: 'find-lost-frames',
    find: '      if (committed < part.ackedSeqMax && part.ackedSeqMax <= last) continue\n',
    replace: '      if (committed <= last || part.ackedSeqMax <= last) continue\n',
  },
  {
    name: 'a frame that the broker lost is searched for only below the cursor',
    place: 'find-lost-frames',
    find: '      if (committed < part.ackedSeqMax && part.ackedSeqMax <= last) continue\n',
    replace: '      if (committed < part.ackedSeqMax) continue\n',
  },
  {
    name: 'a frame that the broker lost is resent with its old message id',
    place: 'message-id-of-resend',
    find: '  return lostRounds === 0 ? ',
    replace: '  return lostRounds >= 0 ? ',
  },
  {
    name: 'the log of a dead process is not sent',
    place: 'add-unsent-frame',
    find: '    part.waiting += 1\n    part.toSend.add(counter)\n',
    replace: '    part.waiting += 1\n',
  },
  {
    name: 'the log of a dead process is removed before it is committed',
    place: 'remove-adopted-segment',
    find: '      if (!this.#isDone(folder, segment, look)) continue\n      await folder.removeSegment(segment.no)\n',
    replace: '      await folder.removeSegment(segment.no)\n',
  },
  {
    name: 'an instance is settled before its log is committed',
    place: 'settle-dead-instance',
    find: '    log.isKnown = true\n    if (segments.length > 0) return\n',
    replace:
      '    log.isKnown = true\n    await this.#options.source.settleInstance(folder.instanceId)\n    if (segments.length > 0) return\n',
  },
  // Quota.
  {
    name: 'a duplicate that ingest recognises is charged',
    place: 'skip-known-copy',
    find: '      unsentOf(unsent, eventSdk).copies += 1\n',
    replace:
      '      unsentOf(unsent, eventSdk).copies += 1\n      ctx.quota.charge(key, receivedAtMs)\n',
  },
  {
    name: 'a lease is charged one unit more than it has',
    place: 'lease-exhausted',
    find: '    if (lease.charged === lease.units) {\n',
    replace: '    if (lease.charged > lease.units || lease === noLease) {\n',
  },
  {
    name: 'a request whose answer was lost is replaced by a new one',
    place: 'keep-lease-request',
    find: '    this.#request ??= {\n',
    replace: '    this.#request = {\n',
  },
  {
    name: 'a lease is kept after its month',
    place: 'end-period',
    find: '  endPeriod(): void {\n    this.giveBackAll()\n',
    replace: '  endPeriod(): void {\n',
  },
  {
    name: 'a lease is charged after it was returned',
    place: 'return-current-lease',
    find: '    this.#host.giveBack(this.#current)\n    this.#current = noLease\n',
    replace:
      '    this.#host.giveBack({ ...this.#current })\n    if (this.#isExhausted) this.#current = noLease\n',
  },
  {
    name: 'spare leases are not returned',
    place: 'return-spare-leases',
    find: '    for (const lease of this.#spares.splice(0)) this.#host.giveBack(lease)\n',
    replace: '    this.#spares.splice(0)\n',
  },
  {
    name: 'a failed return of leases is not retried',
    place: 'keep-failed-returns',
    find: '        this.#returns.push(...returns)\n',
    replace: '',
  },
  {
    name: 'a failed request for a lease is not retried',
    place: 'keep-failed-requests',
    find: '        for (const asker of askers) this.#waiting.add(asker)\n',
    replace: '',
  },
  // Decisions of a worker.
  {
    name: 'a duplicate of an earlier event is digested',
    place: 'mark-known-copy',
    find: '    if (known) isDuplicate[at] = 1\n',
    replace: '    if (known) isDuplicate[at] = 0\n',
  },
  {
    name: 'a duplicate within one range is digested',
    place: 'copy-within-range',
    find: '    return accepted.some((earlier) => repeats(earlier, second))\n',
    replace: '    return accepted.some((earlier) => repeats(earlier, second) && earlier < 0)\n',
  },
  {
    name: 'a duplicate uses quota',
    place: 'count-duplicate-event',
    find: "      this.#count(record, { outcome: 'duplicate', reason: '', category: 'error' })\n",
    replace:
      "      this.#count(record, { outcome: 'duplicate', reason: '', category: 'error' })\n      lease.accepted += 1\n",
  },
  {
    name: 'a rejected event uses quota',
    place: 'reject-event',
    find: "    if (fate.kind === 'rejected') {\n",
    replace: "    if (fate.kind === 'rejected') {\n      lease.accepted += 1\n",
  },
  {
    name: 'a duplicate is refunded twice',
    place: 'count-duplicate-event',
    find: "      this.#count(record, { outcome: 'duplicate', reason: '', category: 'error' })\n",
    replace:
      "      this.#count(record, { outcome: 'duplicate', reason: '', category: 'error' })\n      lease.accepted -= 1\n",
  },
  {
    name: 'a duplicate has no outcome',
    place: 'count-duplicate-event',
    find: "      this.#count(record, { outcome: 'duplicate', reason: '', category: 'error' })\n",
    replace: '',
  },
  {
    name: 'a repeated frame is digested again',
    place: 'drop-repeated-frames',
    find: "    this.#fresh = framed.filter((_, index) => arrivals[index] === 'fresh')\n",
    replace: '    this.#fresh = framed\n',
  },
  {
    name: 'a gap in the counters is given up',
    place: 'close-counter-gap',
    find: '  if (ahead[0] === instance.contiguous)',
    replace: '  if (ahead[0] !== undefined)',
  },
  {
    name: 'accepted ids are not added to the window',
    place: 'enter-accepted-ids',
    find: '    enterAccepted(owned.window, range.found, end.acceptedRecords)\n',
    replace: '',
  },
  {
    name: 'the window is rebuilt from uncommitted rows too',
    place: 'rebuild-window',
    find: '  await rows.knownIds.read({ ...cursor, layout: ctx.layout }, window)\n',
    replace:
      '  await rows.knownIds.read({ ...cursor, committedSeq: Number.MAX_SAFE_INTEGER }, window)\n',
  },
  {
    name: 'the window of a new generation is empty',
    place: 'rebuild-window',
    find: '  await rows.knownIds.read({ ...cursor, layout: ctx.layout }, window)\n',
    replace:
      '  if (taken.reset === "none") await rows.knownIds.read({ ...cursor, layout: ctx.layout }, window)\n',
  },
  {
    name: 'progress is not read at a take-over',
    place: 'read-progress',
    find: '    progress: new FrameProgress(taken.frames),\n',
    replace: '    progress: new FrameProgress(),\n',
  },
  ...itemMutants,
  // The order of a range.
  {
    name: 'a range is committed before it is inserted',
    place: 'insert-rows',
    find: '  const { eventCount, eventRows, sessionRows, outcomeCount, outcomeRows } = output\n',
    replace:
      '  const { eventCount, eventRows, sessionRows, outcomeCount, outcomeRows } = output\n  const result = await commitRange(ctx, owned, range, output)\n  if (range.commitTried && eventCount + outcomeCount === 0) return result\n',
  },
  {
    name: 'the memory of the frames is given back before they are committed',
    place: 'release-frames',
    find: '    const result = await this.#store(owned, range, end)\n',
    replace:
      '    owned.log.release?.(range.messages)\n    const result = await this.#store(owned, range, end)\n',
  },
  {
    name: 'a token does not contain the generation',
    place: 'range-token',
    find: '  const { partition, generation, committedSeq, plannedSeq } = cursor\n',
    replace: '  const { partition, committedSeq, plannedSeq } = cursor\n  const generation = 1\n',
  },
  {
    name: 'a token does not contain the sequences',
    place: 'range-token',
    find: '  const { partition, generation, committedSeq, plannedSeq } = cursor\n',
    replace:
      '  const { partition, generation } = cursor\n  const [committedSeq, plannedSeq] = [0, 1]\n',
  },
  {
    name: 'a planned range is inserted although its rows changed',
    place: 'compare-with-plan',
    find: '    if (this.#predecessorsPlan !== undefined && !isAlike(output, this.#predecessorsPlan)) {\n',
    replace:
      '    if (this.#predecessorsPlan !== undefined && !isAlike(output, this.#predecessorsPlan) && false) {\n',
  },
  {
    name: 'a planned range is not undone when the stream was cut',
    place: 'undo-before-new-generation',
    find: '    if (plan !== undefined) await undo(ctx, cursor, plan)\n',
    replace: '',
  },
  {
    name: 'a planned range whose rows changed is not undone',
    place: 'undo-changed-range',
    find: '  await undo(ctx, owned.cursor, plan)\n',
    replace: '',
  },
  // Data that a store refuses.
  {
    name: 'a refused range is retried for ever',
    place: 'undo-refused-range',
    find: '      if (this.#refusals.areTooMany) return this.#undoRefused(owned, range)\n',
    replace: '',
  },
  {
    name: 'records are blamed while a store refuses every record',
    place: 'probe-before-blame',
    find: '    if (reason === undefined) return this.#refusals.noteProbeTaken()\n',
    replace: '    if (reason !== "") return this.#refusals.noteProbeTaken()\n',
  },
  {
    name: 'a refused range is not rehearsed when it is read again',
    place: 'rehearse-range',
    find: '    if (isRehearsed && this.#predecessorsPlan === undefined) {\n',
    replace: '    if (isRehearsed && this.#predecessorsPlan !== undefined) {\n',
  },
  {
    name: 'records are blamed while a store is unavailable',
    place: 'errors-without-blame',
    find: '    error instanceof StoreAwayError ||\n',
    replace: '',
  },
  {
    name: 'undo negates outcomes that were not inserted',
    place: 'negate-inserted-outcomes',
    find: "      if (await this.#isInserted({ table: 'outcomes', rows: outcomeRows, token })) {\n",
    replace: '      {\n',
  },
  {
    name: 'undo assumes that a broken table contains no rows',
    place: 'probe-before-undo',
    find: '    for (const probe of probeInserts()) if (probe.table === insert.table) await this.insert(probe)\n',
    replace: '',
  },
  {
    name: 'undo does not delete the events',
    place: 'delete-events',
    find: '    for (const week of settings.weeks) await this.#deleteEvents(cursor, week)\n',
    replace: '',
  },
  {
    name: 'undo does not use the token of the events',
    place: 'use-event-token',
    find: '    await this.#useEventToken(cursor, settings.weeks)\n',
    replace: '',
  },
  {
    name: 'uncommitted messages are purged from the stream',
    place: 'keep-uncommitted',
    find: '    if (nextSeq !== undefined) keepFromSeq = Math.min(keepFromSeq, nextSeq)\n',
    replace: '',
  },
  // Guarantees of Postgres and the disk.
  {
    name: 'a former owner may plan',
    place: 'fence-plan',
    find: "    const row = this.#fenced(cursor)\n    if (row.committedSeq !== cursor.committedSeq)\n      throw new FencedError('another place is committed')\n",
    replace: '    const row = this.cursors.get(cursor.partition)!\n',
  },
  {
    name: 'a former owner may commit',
    place: 'fence-commit',
    find: '    const row = this.#fenced(cursor)\n    if (row.plannedSeq !== cursor.plannedSeq || row.committedSeq !== cursor.committedSeq) {\n',
    replace: '    const row = this.cursors.get(cursor.partition)!\n    if (row.plannedSeq < 0) {\n',
  },
  {
    name: 'progress is not committed',
    place: 'commit-progress',
    find: '    for (const instance of frames) progress.set(instance.instanceId, instance)\n',
    replace:
      '    for (const instance of frames) if (instance.ahead.length > 0) progress.set(instance.instanceId, instance)\n',
  },
  {
    name: 'the limit can be exceeded by one',
    place: 'remaining-units',
    find: '    return Math.max(0, limit - used)\n  }\n\n  #blockOf',
    replace: '    return Math.max(0, limit + 1 - used)\n  }\n\n  #blockOf',
  },
  {
    name: 'a settled instance is granted quota',
    place: 'refuse-settled-instance',
    find: '      if (this.instances.get(instanceId)?.isSettled === true) return { leaseNo: 0, units: 0, limits }\n',
    replace: '',
  },
  {
    name: 'the log of a live process is adopted',
    place: 'adopt-dead-log',
    find: "            if (folder.owner.state !== 'dead' || folder.writeCount > 0) continue\n",
    replace: '            if (folder.owner === process || folder.writeCount > 0) continue\n',
  },
]
