/**
 * Errors that somebody could make, each as a change of one marked place. The simulation must notice
 * each of them (run-mutants.ts). The last group breaks a promise of Postgres or the disk, in what
 * stands for them here: the product's own part is SQL and system calls.
 */
import { itemMutants } from './item-mutants.ts'
import type { Mutant } from './plant-mutant.ts'

export const mutants: readonly Mutant[] = [
  // What a 200 promises.
  {
    name: 'requests are answered before their frame is in the log',
    place: 'requests-answered-before-their-frame',
    find: '    entry.isBeingLogged = true\n',
    replace: '    entry.isBeingLogged = true\n    this.#pass(entry, false)\n',
  },
  {
    name: 'requests are answered while the broker is away and the log has not written',
    place: 'requests-answered-while-broker-away',
    find: '    if (entry.place !== undefined) this.#pass(entry, false)\n    else this.#logs(token, entry)\n',
    replace: '    this.#logs(token, entry)\n    this.#pass(entry, false)\n',
  },
  {
    name: 'a write that failed counts as written',
    place: 'write-failed-counts-as-written',
    find: '        for (const { onLogged } of group) onLogged(undefined)\n',
    replace:
      '        const lost = this.#segmentFor(0)\n        for (const { frame, onLogged } of group) onLogged(lost.add(frame.partition, frame.counter))\n',
  },
  {
    name: 'outcomes are not waited for',
    place: 'outcomes-not-waited-for',
    find: '    waiter.hold()\n    ctx.tally.add(key, outcomes, waiter)\n',
    replace: '    ctx.tally.add(key, outcomes, undefined)\n',
  },
  {
    name: 'what is over quota is answered 200',
    place: 'over-quota-answered-200',
    find: '  if (refusal !== undefined) {\n    const waitSeconds',
    replace: '  if (refusal !== undefined && ids.length < 0) {\n    const waitSeconds',
  },
  // Frames and their log.
  {
    name: 'the counter of a frame is used twice',
    place: 'counter-frame-used-twice',
    find: '    open.nextCounter += 1\n',
    replace: '    if (open.nextCounter !== 3) open.nextCounter += 1\n',
  },
  {
    name: 'a segment is removed when it is acknowledged, not when it is committed',
    place: 'segment-removed-when-acknowledged-not',
    find: '      if (!digested.coversAll(part.held)) isConfirmed = false\n',
    replace: '      if (part.waiting > 0) isConfirmed = false\n',
  },
  {
    name: 'a forgotten frame is not looked for',
    place: 'forgotten-frame-not-looked-for',
    find: '      if (committed < part.ackedSeqMax && part.ackedSeqMax <= last) continue\n',
    replace: '      if (committed <= last || part.ackedSeqMax <= last) continue\n',
  },
  {
    name: 'a forgotten frame is looked for only behind the cursor',
    place: 'forgotten-frame-not-looked-for',
    find: '      if (committed < part.ackedSeqMax && part.ackedSeqMax <= last) continue\n',
    replace: '      if (committed < part.ackedSeqMax) continue\n',
  },
  {
    name: 'a forgotten frame is sent again under its old message id',
    place: 'forgotten-frame-sent-again-under',
    find: '  return forgottenRounds === 0 ? ',
    replace: '  return forgottenRounds >= 0 ? ',
  },
  {
    name: 'the log of a dead process is not sent',
    place: 'log-dead-process-not-sent',
    find: '    part.waiting += 1\n    part.toSend.add(counter)\n',
    replace: '    part.waiting += 1\n',
  },
  {
    name: 'the log of a dead process is removed before it is committed',
    place: 'log-dead-process-removed-before',
    find: '      if (!this.#isDone(folder, segment, look)) continue\n      await folder.removeSegment(segment.no)\n',
    replace: '      await folder.removeSegment(segment.no)\n',
  },
  {
    name: 'an instance is settled before its log is committed',
    place: 'boot-settled-before-log-committed',
    find: '    log.isKnown = true\n    if (segments.length > 0) return\n',
    replace:
      '    log.isKnown = true\n    await this.#options.source.settleInstance(folder.instanceId)\n    if (segments.length > 0) return\n',
  },
  // Quota.
  {
    name: 'a copy that ingest knows is charged',
    place: 'copy-ingest-knows-charged',
    find: '      copies += 1\n',
    replace: '      copies += 1\n      ctx.quota.charge(key, receivedAtMs)\n',
  },
  {
    name: 'one unit more than the lease has is charged',
    place: 'one-unit-more-than-lease',
    find: '    if (lease.charged === lease.units) {\n',
    replace: '    if (lease.charged > lease.units || lease === noLease) {\n',
  },
  {
    name: 'a new grant is requested when the response to the last one was lost',
    place: 'grant-asked-for-anew-when',
    find: '    this.#request ??= {\n',
    replace: '    this.#request = {\n',
  },
  {
    name: 'a lease outlives its month',
    place: 'lease-outlives-month',
    find: '  endPeriod(): void {\n    this.giveBackAll()\n',
    replace: '  endPeriod(): void {\n',
  },
  {
    name: 'a lease is charged from after it was given back',
    place: 'lease-charged-from-after-was',
    find: '    this.#host.giveBack(this.#current)\n    this.#current = noLease\n',
    replace:
      '    this.#host.giveBack({ ...this.#current })\n    if (this.#isExhausted) this.#current = noLease\n',
  },
  {
    name: 'spare leases are not given back',
    place: 'spare-leases-not-given-back',
    find: '    for (const lease of this.#spares.splice(0)) this.#host.giveBack(lease)\n',
    replace: '    this.#spares.splice(0)\n',
  },
  {
    name: 'what could not be given back is forgotten',
    place: 'could-not-be-given-back',
    find: '        this.#returns.push(...returns)\n',
    replace: '',
  },
  {
    name: 'who asked for a grant that failed is forgotten',
    place: 'who-asked-for-grant-failed',
    find: '        for (const asker of askers) this.#waiting.add(asker)\n',
    replace: '',
  },
  // Decisions of a worker.
  {
    name: 'a copy of an earlier event is digested',
    place: 'copy-earlier-event-digested',
    find: '    if (known) isDuplicate[at] = 1\n',
    replace: '    if (known) isDuplicate[at] = 0\n',
  },
  {
    name: 'a copy within one range is digested',
    place: 'copy-within-one-range-digested',
    find: '    return accepted.some((earlier) => repeats(earlier, second))\n',
    replace: '    return accepted.some((earlier) => repeats(earlier, second) && earlier < 0)\n',
  },
  {
    name: 'a duplicate costs a unit',
    place: 'duplicate-costs-unit',
    find: "      this.#count(record, { outcome: 'duplicate', reason: '', category: 'error' })\n",
    replace:
      "      this.#count(record, { outcome: 'duplicate', reason: '', category: 'error' })\n      lease.accepted += 1\n",
  },
  {
    name: 'a rejected event costs a unit',
    place: 'rejected-event-costs-unit',
    find: "    if (normalized.kind === 'rejected') {\n",
    replace: "    if (normalized.kind === 'rejected') {\n      lease.accepted += 1\n",
  },
  {
    name: 'a refund is made twice',
    place: 'duplicate-costs-unit',
    find: "      this.#count(record, { outcome: 'duplicate', reason: '', category: 'error' })\n",
    replace:
      "      this.#count(record, { outcome: 'duplicate', reason: '', category: 'error' })\n      lease.accepted -= 1\n",
  },
  {
    name: 'a duplicate has no outcome',
    place: 'duplicate-costs-unit',
    find: "      this.#count(record, { outcome: 'duplicate', reason: '', category: 'error' })\n",
    replace: '',
  },
  {
    name: 'a frame that repeats is digested again',
    place: 'frame-repeats-digested-again',
    find: "    this.#fresh = messages.filter((_, index) => arrivals[index] === 'fresh')\n",
    replace: '    this.#fresh = messages\n',
  },
  {
    name: 'a gap in the counters is given up',
    place: 'gap-in-counters',
    find: '  if (ahead[0] === instance.contiguous)',
    replace: '  if (ahead[0] !== undefined)',
  },
  {
    name: 'accepted ids do not enter the window',
    place: 'accepted-ids-do-not-enter',
    find: '    enterAccepted(owned.window, range.found, end.acceptedRecords)\n',
    replace: '',
  },
  {
    name: 'the window is rebuilt beyond what is committed',
    place: 'window-rebuilt-beyond-committed',
    find: '  await rows.knownIds.read(cursor, window)\n',
    replace:
      '  await rows.knownIds.read({ ...cursor, committedSeq: Number.MAX_SAFE_INTEGER }, window)\n',
  },
  {
    name: 'the window of a new generation begins empty',
    place: 'window-rebuilt-beyond-committed',
    find: '  await rows.knownIds.read(cursor, window)\n',
    replace: '  if (taken.reset === "none") await rows.knownIds.read(cursor, window)\n',
  },
  {
    name: 'progress is not read at a take-over',
    place: 'progress-not-read-at-takeover',
    find: '    progress: new FrameProgress(taken.frames),\n',
    replace: '    progress: new FrameProgress(),\n',
  },
  ...itemMutants,
  // The order of a range.
  {
    name: 'a range is committed before it is inserted',
    place: 'range-committed-before-inserted',
    find: '  const { eventCount, eventRows, sessionRows, outcomeCount, outcomeRows } = output\n',
    replace:
      '  const { eventCount, eventRows, sessionRows, outcomeCount, outcomeRows } = output\n  const result = await commitRange(ctx, owned, range, output)\n  if (range.commitTried && eventCount + outcomeCount === 0) return result\n',
  },
  {
    name: 'a token does not name the generation',
    place: 'token-does-not-name-generation',
    find: '  const { partition, generation, committedSeq, plannedSeq } = cursor\n',
    replace: '  const { partition, committedSeq, plannedSeq } = cursor\n  const generation = 1\n',
  },
  {
    name: 'a token does not name the place',
    place: 'token-does-not-name-generation',
    find: '  const { partition, generation, committedSeq, plannedSeq } = cursor\n',
    replace:
      '  const { partition, generation } = cursor\n  const [committedSeq, plannedSeq] = [0, 1]\n',
  },
  {
    name: 'a planned range is inserted though it came out differently',
    place: 'planned-range-inserted-though-came',
    find: '    if (this.#predecessorsPlan !== undefined && !isAlike(output, this.#predecessorsPlan)) {\n',
    replace:
      '    if (this.#predecessorsPlan !== undefined && !isAlike(output, this.#predecessorsPlan) && false) {\n',
  },
  {
    name: 'a planned range is not undone when the stream was cut',
    place: 'planned-range-not-undone-when',
    find: '    if (plan !== undefined) await undo(ctx, cursor, plan)\n',
    replace: '',
  },
  {
    name: 'a planned range that came out differently is not undone',
    place: 'planned-range-came-out-differently',
    find: '  await undo(ctx, owned.cursor, plan)\n',
    replace: '',
  },
  // Data that a store refuses.
  {
    name: 'a range that a store refuses is retried for ever',
    place: 'range-store-refuses-retried-for',
    find: '      if (this.#refusals.areTooMany) return this.#undoRefused(owned, range)\n',
    replace: '',
  },
  {
    name: 'a store that refuses every record blames the records',
    place: 'store-refuses-every-record-blames',
    find: '    if (reason === undefined) return this.#refusals.noteProbeTaken()\n',
    replace: '    if (reason !== "") return this.#refusals.noteProbeTaken()\n',
  },
  {
    name: 'a refused range is not rehearsed when it comes again',
    place: 'refused-range-not-rehearsed-when',
    find: '    if (isRehearsed && this.#predecessorsPlan === undefined) {\n',
    replace: '    if (isRehearsed && this.#predecessorsPlan !== undefined) {\n',
  },
  {
    name: 'a store that is away during a search blames the records',
    place: 'store-away-during-search-blames',
    find: '    error instanceof StoreAwayError ||\n',
    replace: '',
  },
  {
    name: 'undo takes outcomes out that are not in',
    place: 'undo-takes-outcomes-out-not',
    find: "      if (await this.#isInserted({ table: 'outcomes', rows: outcomeRows, token })) {\n",
    replace: '      {\n',
  },
  {
    name: 'undo believes a broken table that nothing is in',
    place: 'undo-believes-broken-table-nothing',
    find: '    for (const probe of probeInserts()) if (probe.table === insert.table) await this.insert(probe)\n',
    replace: '',
  },
  {
    name: 'undo leaves the events',
    place: 'undo-leaves-events',
    find: '    for (const week of settings.weeks) await this.#deleteEvents(cursor, week)\n',
    replace: '',
  },
  {
    name: 'undo does not use up the token of the events',
    place: 'undo-does-not-use-up',
    find: '    await this.#useEventToken(cursor, settings.weeks)\n',
    replace: '',
  },
  {
    name: 'the stream is purged of what is not committed',
    place: 'stream-purged-not-committed',
    find: '    if (nextSeq !== undefined) keepFromSeq = Math.min(keepFromSeq, nextSeq)\n',
    replace: '',
  },
  // Promises of Postgres and the disk.
  {
    name: 'a former owner may plan',
    place: 'former-owner-may-plan',
    find: "    const row = this.#fenced(cursor)\n    if (row.committedSeq !== cursor.committedSeq)\n      throw new FencedError('another place is committed')\n",
    replace: '    const row = this.cursors.get(cursor.partition)!\n',
  },
  {
    name: 'a former owner may commit',
    place: 'former-owner-may-commit',
    find: '    const row = this.#fenced(cursor)\n    if (row.plannedSeq !== cursor.plannedSeq || row.committedSeq !== cursor.committedSeq) {\n',
    replace: '    const row = this.cursors.get(cursor.partition)!\n    if (row.plannedSeq < 0) {\n',
  },
  {
    name: 'progress is not committed',
    place: 'progress-not-committed',
    find: '    for (const instance of frames) progress.set(instance.instanceId, instance)\n',
    replace:
      '    for (const instance of frames) if (instance.ahead.length > 0) progress.set(instance.instanceId, instance)\n',
  },
  {
    name: 'the limit may be passed by one',
    place: 'limit-may-be-passed-by',
    find: '    const remaining = Math.max(0, limit - used)\n    return Math.min(remaining, this.#blockOf(request, remaining, nowMs))\n  }\n\n  #blockOf',
    replace:
      '    const remaining = Math.max(0, limit + 1 - used)\n    return Math.min(remaining, this.#blockOf(request, remaining, nowMs))\n  }\n\n  #blockOf',
  },
  {
    name: 'a settled instance is granted quota',
    place: 'settled-instance-granted',
    find: '      if (this.instances.get(instanceId)?.isSettled === true) return { leaseNo: 0, units: 0, limits }\n',
    replace: '',
  },
  {
    name: 'the log of a living process is taken over',
    place: 'log-living-process-taken-over',
    find: "            if (folder.owner.state !== 'dead' || folder.writeCount > 0) continue\n",
    replace: '            if (folder.owner === process || folder.writeCount > 0) continue\n',
  },
]
