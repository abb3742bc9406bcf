/**
 * Ideas of another service, from CSV or JSON. An idea of a title that is there already stays as it is, so a file may be read twice. A
 * mistake costs its own row. Each few hundred are a transaction of their own, so that visitors go on meanwhile.
 */
import { v7 as uuidv7 } from 'uuid'
import { IdeaImport, type ImportReport } from '#schemas/rest/idea-admin.ts'
import { type FileFormat, readRows } from '../../../http/table-file.ts'
import { checkValue } from '../../../http/validation-rules.ts'
import type { Database, Postgres } from '../../../io/database.ts'
import {
  addIdeas,
  addVotesInBulk,
  ensureEndUsers,
  findKnownTitles,
} from '../../../io/idea-import-store.ts'
import { listTagsOfProject, setTagsOfIdea } from '../../../io/tag-of-idea-store.ts'

export const importRowsMax = 20_000
const ideasAtOnce = 200
const problemsToldMax = 100

export interface ImportOf {
  readonly projectId: string
  readonly text: string
  readonly format: FileFormat
  readonly now: Date
  readonly dryRun: boolean
}

export async function importIdeas(
  pg: Postgres,
  { projectId, text, format, now, dryRun }: ImportOf,
): Promise<ImportReport> {
  const slugs = new Set((await listTagsOfProject(pg, projectId)).map(({ slug }) => slug))
  const report: ImportReport = { read: 0, imported: 0, known: 0, problems: [], dry_run: dryRun }
  const tell = (field: string, rule: string) => {
    if (report.problems.length < problemsToldMax)
      report.problems.push({ row: report.read, field, rule })
  }
  const seen = new Set<string>()
  let waiting: IdeaImport[] = []
  const store = async () => {
    const titles = waiting.map(({ title }) => title)
    for (const title of await findKnownTitles(pg, { projectId, titles })) seen.add(title)
    const fresh = waiting.filter(({ title }) => !seen.has(title) && seen.add(title))
    if (!dryRun && fresh.length > 0) {
      await pg.transaction((client) => storeIdeas(client, { projectId, ideas: fresh, now }))
    }
    report.imported += fresh.length
    report.known += waiting.length - fresh.length
    waiting = []
  }
  for await (const raw of readRows(text, { format, rowsMax: importRowsMax })) {
    report.read += 1
    const row = checkValue(IdeaImport, splitLists(raw), 'row')
    if (!row.success) {
      const [{ field, rule }] = row.errors
      tell(field, rule)
      continue
    }
    const unknown = row.data.tags.find((slug) => !slugs.has(slug))
    if (unknown !== undefined) {
      tell('tags', `must be tags of the project: ${unknown} is none`)
      continue
    }
    waiting.push(row.data)
    if (waiting.length === ideasAtOnce) await store()
  }
  await store()
  return report
}

/** In a cell of CSV, several stand with a `|` or a space between. */
function splitLists(raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null) return raw
  const row: Record<string, unknown> = { ...raw }
  for (const name of ['tags', 'voters']) {
    const cell = row[name]
    if (typeof cell === 'string') row[name] = cell.split(/[|\s]+/).filter((part) => part !== '')
  }
  return row
}

/** Users first, then ideas, then their tags: visitors lock in this order too. */
async function storeIdeas(
  pg: Database,
  { projectId, ideas, now }: { projectId: string; ideas: readonly IdeaImport[]; now: Date },
): Promise<void> {
  const fresh = ideas.map((idea) => ({ id: uuidv7(), ...idea }))
  const users = new Map<string, string | null>()
  for (const { author_id, author_name, voters } of fresh) {
    if (author_id) users.set(author_id, author_name ?? null)
    for (const voter of voters) if (!users.has(voter)) users.set(voter, null)
  }
  const rowOf = await ensureEndUsers(pg, { projectId, users, now })
  const rows = fresh.map(({ id, title, description, status, author_id, created_at }) => ({
    ...{ id, title, description, status },
    author_id: author_id ? (rowOf.get(author_id) ?? null) : null,
    created_at: created_at === undefined ? now : new Date(created_at),
  }))
  await addIdeas(pg, { projectId, ideas: rows, now })
  for (const { id, tags } of fresh) {
    if (tags.length > 0) await setTagsOfIdea(pg, { projectId, ideaId: id, slugs: tags })
  }
  await addVotesInBulk(
    pg,
    fresh.flatMap(({ id, voters }) =>
      voters.map((voter) => ({ ideaId: id, enduserId: rowOf.get(voter)! })),
    ),
  )
}
