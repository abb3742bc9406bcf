/**
 * From rows to what is stored: ids, which row is the original of which duplicate, which tags are needed. Pure. An id of the file stays
 * the same at every import into a project, so a file may be read twice; ids are never taken as they stand, because another project
 * may hold them. Of rows with the same time, ids grow with the row, so that an export lists them in the order of the file.
 */
import { createHash } from 'node:crypto'
import type { FileIdea, FileTag } from '#schemas/rest/portal/idea-file.ts'
import { TagSlug, tagsPerProjectMax } from '#schemas/rest/portal/tag-of-idea.ts'
import { shownName } from '#schemas/visible-text.ts'
import { inSlices } from '../../files/slices.ts'
import type { Told } from './check-idea.ts'
import { endingOf, rankedId, rowId } from './imported-id.ts'

export interface ReadRow {
  readonly row: number
  readonly idea: FileIdea
}

export interface PlannedIdea extends ReadRow {
  readonly id: string
  /** The idea of this project that a duplicate stands for. */
  readonly duplicateOf: string | null
}

export interface Planned {
  /** Originals first. */
  readonly ideas: readonly PlannedIdea[]
  readonly problems: readonly (Told & { readonly row: number })[]
  /** Of every idea that the file names. */
  readonly idOf: ReadonlyMap<string, string>
}

/** A row with an id that an earlier import would have given it. */
export interface NamedRow extends ReadRow {
  readonly id: string
}

/** Rows with their ids; what repeats the id of another row is left out. */
export async function nameRows(
  rows: readonly ReadRow[],
  projectId: string,
): Promise<{
  rows: readonly NamedRow[]
  problems: readonly (Told & { readonly row: number })[]
}> {
  const problems: (Told & { row: number })[] = []
  const named = new Map<string, ReadRow>()
  const times = new Map<string, number>()
  const kept: NamedRow[] = []
  for await (const row of inSlices(rows)) {
    const fileId = row.idea.id ?? undefined
    const other = fileId === undefined ? undefined : named.get(fileId)
    if (other !== undefined) {
      problems.push({ row: row.row, field: 'id', rule: `is also that of row ${other.row}` })
      continue
    }
    if (fileId !== undefined) named.set(fileId, row)
    kept.push({ ...row, id: idFor(row.idea, { projectId, times }) })
  }
  return { rows: kept, problems }
}

/**
 * @param existing ideas of this project that the file names by their own id, with the idea each stands for if it is a duplicate.
 * @param imported ideas of this project by the ending of their id.
 */
export async function planIdeas(
  rows: readonly NamedRow[],
  {
    existing,
    imported,
  }: { existing: ReadonlyMap<string, string>; imported: ReadonlyMap<string, string> },
): Promise<Planned> {
  const problems: (Told & { row: number })[] = []
  const idOf = new Map<string, string>()
  const named = new Map<string, ReadRow>()
  const ranks = new Map<string, number>()
  const kept: { row: ReadRow; id: string }[] = []
  for await (const { id: ownId, ...row } of inSlices(rows)) {
    const { id: fileId, created_at } = row.idea
    const rank = created_at ? (ranks.get(created_at) ?? 0) : undefined
    if (created_at && rank !== undefined) ranks.set(created_at, rank + 1)
    const own = fileId?.toLowerCase()
    const stored = own !== undefined && existing.has(own) ? own : imported.get(endingOf(ownId))
    const id = stored ?? (rank === undefined ? ownId : rankedId(ownId, rank))
    if (fileId) {
      named.set(fileId, row)
      idOf.set(fileId, id)
    }
    kept.push({ row, id })
  }

  const originals: PlannedIdea[] = []
  const found = new Map<ReadRow, Target>()
  const duplicates: PlannedIdea[] = []
  for (const { row, id } of kept) {
    const target = originalOf(row, { named, idOf, existing, found })
    if (target === undefined) originals.push({ ...row, id, duplicateOf: null })
    else if (typeof target === 'string') duplicates.push({ ...row, id, duplicateOf: target })
    else problems.push({ row: row.row, ...target })
  }
  return { ideas: [...originals, ...duplicates], problems, idOf }
}

function idFor(idea: FileIdea, of: { projectId: string; times: Map<string, number> }): string {
  const { projectId, times } = of
  // The title keeps numbers of two services apart.
  if (idea.id) return rowId(JSON.stringify(['idea', idea.id, idea.title]), projectId)
  const said = JSON.stringify([
    'idea',
    idea.title,
    idea.description,
    idea.author_id ?? '',
    idea.created_at ?? '',
  ])
  // Two rows that say the same are two ideas.
  const time = (times.get(said) ?? 0) + 1
  times.set(said, time)
  return rowId(time === 1 ? said : `${said}${time}`, projectId)
}

type Target = string | Told

/** Undefined: it is no duplicate. Follows duplicates of duplicates to the idea at their end, and remembers it for all on the way. */
function originalOf(
  row: ReadRow,
  of: {
    named: ReadonlyMap<string, ReadRow>
    idOf: ReadonlyMap<string, string>
    existing: ReadonlyMap<string, string>
    found: Map<ReadRow, Target>
  },
): Target | undefined {
  const { named, idOf, existing, found } = of
  if (row.idea.status !== 'Duplicate') return undefined
  const field = 'duplicate_of'
  const passed = new Set<ReadRow>()
  let at = row
  let target: Target | undefined
  while (target === undefined) {
    passed.add(at)
    const name = at.idea.duplicate_of
    if (!name) {
      target = { field, rule: 'must name the original of a duplicate' }
      break
    }
    const next = named.get(name)
    if (next === undefined) {
      const rule = `must be an idea of the file or the project: ${name} is none`
      target = existing.get(name.toLowerCase()) ?? { field, rule }
    } else if (next.idea.status !== 'Duplicate') {
      target = idOf.get(name)!
    } else if (!next.idea.duplicate_of) {
      target = { field, rule: `leads to row ${next.row}, which is left out` }
    } else if (passed.has(next)) {
      target = { field, rule: 'leads in a circle' }
    } else {
      target = found.get(next)
      at = next
    }
  }
  for (const one of passed) found.set(one, target)
  return target
}

export interface KnownTag {
  readonly slug: string
  readonly name: string
}

export interface TagPlan {
  readonly slugOf: ReadonlyMap<string, string>
  readonly toCreate: readonly FileTag[]
  readonly unknown: readonly string[]
}

/** Tags by slug or by name, whatever the case; those that are missing are created, where that is wanted and there is room. */
export function planTags(
  rows: readonly ReadRow[],
  { known, create }: { known: readonly KnownTag[]; create: boolean },
): TagPlan {
  const bySlug = new Map(known.map((tag) => [tag.slug, tag.slug]))
  const byName = new Map(known.map((tag) => [tag.name.toLowerCase(), tag.slug]))
  const details = new Map<string, FileTag>()
  for (const { idea } of rows) for (const tag of idea.tag_details) details.set(tag.slug, tag)
  const slugOf = new Map<string, string>()
  const toCreate: FileTag[] = []
  const unknown = new Set<string>()
  for (const name of rows.flatMap(({ idea }) => idea.tags)) {
    if (slugOf.has(name) || unknown.has(name)) continue
    const found = bySlug.get(name) ?? byName.get(name.toLowerCase()) ?? bySlug.get(slugFor(name))
    if (found !== undefined) {
      slugOf.set(name, found)
      continue
    }
    if (!create || tagsPerProjectMax <= known.length + toCreate.length) {
      unknown.add(name)
      continue
    }
    const slug = slugFor(name)
    const shown = shownName(name, 50) ?? slug
    const tag = details.get(slug) ?? { slug, name: shown, color: '#6b7280', position: 0 }
    toCreate.push({ ...tag, name: shownName(tag.name, 50) ?? slug })
    bySlug.set(slug, slug)
    slugOf.set(name, slug)
  }
  return { slugOf, toCreate, unknown: [...unknown] }
}

/** Names without a letter of ASCII get a slug made of their hash. */
function slugFor(name: string): string {
  if (TagSlug.safeParse(name).success) return name
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 50)
  return slug === '' ? `tag-${createHash('sha256').update(name).digest('hex').slice(0, 8)}` : slug
}
