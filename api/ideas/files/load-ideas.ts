/**
 * Reads the ideas of a file (our own export or that of another service, CSV or JSON), checks them
 * and stores them. A file may be loaded again: ideas of an earlier import stay unchanged. An
 * invalid row is skipped and reported. A few hundred ideas are one transaction, so that visitors do
 * not wait.
 */
import assert from 'node:assert'
import type { FileIdea, ImportReport } from '#schemas/rest/portal/idea-file.ts'
import type { Postgres } from '../../database.ts'
import { inSlices } from '../../files/slices.ts'
import { type FileFormat, readRows } from '../../files/table-file.ts'
import { listTagsOfProject } from '../tag-of-idea-store.ts'
import type { Told } from './check-idea.ts'
import { planColumns } from './idea-columns.ts'
import {
  createTags,
  findIdsByEnding,
  findKnownIds,
  findOwnIdeas,
  findTwins,
} from './idea-import-store.ts'
import { endingOf, rankMax } from './imported-id.ts'
import { nameRows, type PlannedIdea, planIdeas, planTags, type ReadRow } from './plan-import.ts'
import { readIdeaRow } from './read-idea-row.ts'
import { type StatusMap, statusNamed } from './status-names.ts'
import { type StoreOf, storeIdeas } from './store-ideas.ts'

export const importRowsMax = 20_000
assert(importRowsMax <= rankMax)
/** Length of one CSV row: an idea with all its voters and comments. */
const recordCharactersMax = 20_000_000
const ideasAtOnce = 200
/** Voters, comments, events and users in one transaction. */
const partsAtOnce = 2_000
/** Ideas, with their whole texts, that one statement compares with the stored ones. */
const twinsAtOnce = 500
const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export interface IdeasToLoad {
  readonly projectId: string
  readonly text: string
  readonly format: FileFormat
  readonly now: Date
  readonly dryRun: boolean
  readonly createTags: boolean
  readonly statuses: StatusMap
}

export async function loadIdeas(pg: Postgres, of: IdeasToLoad): Promise<ImportReport> {
  const { projectId, now, dryRun, createTags: create } = of
  const file = await readFile(of)
  const { report } = file
  const tell = (row: number, { field, rule }: Told) => report.problems.push({ row, field, rule })

  const tags = planTags(file.rows, { known: await listTagsOfProject(pg, projectId), create })
  report.unknown_tags.push(...tags.unknown)
  const rows = file.rows.filter(({ row, idea }) => {
    const unknown = idea.tags.find((name) => !tags.slugOf.has(name))
    if (unknown === undefined) return true
    const rule = `unknown tag "${unknown}". Create it first, or create all tags with create_tags`
    tell(row, { field: 'tags', rule })
    return false
  })

  const existing = await findOwnIdeas(pg, { projectId, ids: uuidsIn(rows) })
  const named = await nameRows(rows, projectId)
  const endings = named.rows.map(({ id }) => endingOf(id))
  const imported = await findIdsByEnding(pg, { projectId, endings })
  const planned = await planIdeas(named.rows, { existing, imported })
  for (const { row, ...told } of [...named.problems, ...planned.problems]) tell(row, told)
  const fresh = await withoutKnown(pg, { projectId, ideas: planned.ideas })
  report.known = planned.ideas.length - fresh.length
  report.imported = fresh.length
  report.created_tags.push(...tags.toCreate.map(({ slug }) => slug))
  const left = new Set(report.problems.map(({ row }) => row))
  report.notes = report.notes.filter(({ row }) => !left.has(row))
  report.problems.sort((a, b) => a.row - b.row)
  report.skipped = report.problems.length
  if (dryRun) return report

  if (tags.toCreate.length > 0) {
    await pg.transaction((client) => createTags(client, { projectId, tags: tags.toCreate }))
  }
  const originals = new Map(
    fresh.flatMap(({ id, duplicateOf }) => (duplicateOf ? [[id, duplicateOf] as const] : [])),
  )
  const context = { projectId, now, slugOf: tags.slugOf, idOf: planned.idOf, originals }
  const held: StoreOf['held'] = new Map()
  for (const ideas of batchesOf(fresh)) {
    await pg.transaction((client) => storeIdeas(client, { ...context, ideas, held }))
  }
  return report
}

async function readFile({ text, format, now, dryRun, statuses }: IdeasToLoad) {
  const report: ImportReport = {
    read: 0,
    imported: 0,
    known: 0,
    skipped: 0,
    problems: [],
    notes: [],
    ignored_columns: [],
    unknown_tags: [],
    created_tags: [],
    unknown_statuses: [],
    mapped_statuses: {},
    dry_run: dryRun,
  }
  const raws: unknown[] = []
  const names = new Set<string>()
  const given = { format, rowsMax: importRowsMax, recordCharactersMax, list: 'ideas' }
  for await (const raw of readRows(text, given)) {
    raws.push(raw)
    if (typeof raw === 'object' && raw !== null)
      for (const name of Object.keys(raw)) names.add(name)
  }
  const plan = planColumns(names)
  report.ignored_columns.push(...plan.ignored)
  const unknownStatuses = new Set<string>()
  const rows: ReadRow[] = []
  const byId = new Map<string, FileIdea>()
  const votersOf = new Map<FileIdea, Set<string>>()
  for await (const raw of inSlices(raws)) {
    report.read += 1
    const read = await readIdeaRow(raw, { plan, statuses, now })
    if (read.kind === 'problem') {
      report.problems.push({ row: report.read, ...read.problem })
      if (read.unknownStatus !== undefined) unknownStatuses.add(read.unknownStatus)
      continue
    }
    const { idea } = read
    const named = statusNamed(read.status, statuses)
    if (named !== undefined && named !== read.status) report.mapped_statuses[read.status] = named
    const before = plan.nameOf.has('voter_id') && idea.id ? byId.get(idea.id) : undefined
    if (before !== undefined && before.title === idea.title) {
      // UserVoice has a row for each voter of an idea.
      addVoters(before, idea, votersOf)
      report.read -= 1
      continue
    }
    for (const note of read.notes) report.notes.push({ row: report.read, ...note })
    if (idea.id) byId.set(idea.id, idea)
    rows.push({ row: report.read, idea })
  }
  report.unknown_statuses.push(...unknownStatuses)
  return { rows, report }
}

/** @param votersOf ids of the voters of each idea that has several rows. */
function addVoters(idea: FileIdea, more: FileIdea, votersOf: Map<FileIdea, Set<string>>): void {
  const known = votersOf.get(idea) ?? new Set(idea.voters.map(({ enduser_id }) => enduser_id))
  votersOf.set(idea, known)
  for (const voter of more.voters) {
    if (known.has(voter.enduser_id)) continue
    known.add(voter.enduser_id)
    idea.voters.push(voter)
    idea.imported_votes = Math.max(0, idea.imported_votes - 1)
  }
  idea.users.push(...more.users)
}

function uuidsIn(rows: readonly ReadRow[]): string[] {
  return rows.flatMap(({ idea }) =>
    [idea.id, idea.duplicate_of].flatMap((id) =>
      id && uuidPattern.test(id) ? [id.toLowerCase()] : [],
    ),
  )
}

function* batchesOf(ideas: readonly PlannedIdea[]): Generator<readonly PlannedIdea[]> {
  let batch: PlannedIdea[] = []
  let parts = 0
  for (const planned of ideas) {
    const { voters, comments, events, users } = planned.idea
    batch.push(planned)
    parts += voters.length + comments.length + events.length + users.length
    if (batch.length < ideasAtOnce && parts < partsAtOnce) continue
    yield batch
    batch = []
    parts = 0
  }
  if (batch.length > 0) yield batch
}

/** Without ideas of earlier imports and, for rows without an id, ideas with the same texts. */
async function withoutKnown(
  pg: Postgres,
  { projectId, ideas }: { projectId: string; ideas: readonly PlannedIdea[] },
): Promise<PlannedIdea[]> {
  const ids = ideas.map(({ id }) => id)
  const known = await findKnownIds(pg, { projectId, ids })
  const nameless = ideas.filter(({ id, idea }) => !idea.id && !known.has(id))
  const isTwin = new Set<string>()
  for (let at = 0; at < nameless.length; at += twinsAtOnce) {
    const part = nameless.slice(at, at + twinsAtOnce)
    const twins = await findTwins(pg, { projectId, ids, ideas: part.map(({ idea }) => idea) })
    for (const [no, { id }] of part.entries()) if (twins.has(no)) isTwin.add(id)
  }
  return ideas.filter(({ id }) => !known.has(id) && !isTwin.has(id))
}
