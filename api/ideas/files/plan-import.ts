/**
 * Plans an import: the ids of ideas, the original of each duplicate, the tags that are needed.
 * Pure. An id of the file maps to the same id at every import into a project, so an import is
 * idempotent. Ids of a file are never used directly, because another project may have them. Among
 * rows with the same time, ids grow with the row, so that an export keeps the order of the file.
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
  /** The original of a duplicate, an idea of this project. */
  readonly duplicateOf: string | null
}

export interface Planned {
  /** Originals before their duplicates. */
  readonly ideas: readonly PlannedIdea[]
  readonly problems: readonly (Told & { readonly row: number })[]
  /** New ids by the ids of the file. */
  readonly idOf: ReadonlyMap<string, string>
}

/** A row with the id that every import gives it. */
export interface NamedRow extends ReadRow {
  readonly id: string
}

/** Gives rows their ids; omits a row that repeats the id of another one. */
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
 * @param existing ideas of this project that the file names by their own id, each with the original
 * if it is a duplicate.
 * @param imported ideas of this project by the end of their id.
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
  for await (const { row, id } of inSlices(kept)) {
    const target = originalOf(row, { named, idOf, existing, found })
    if (target === undefined) originals.push({ ...row, id, duplicateOf: null })
    else if (typeof target === 'string') duplicates.push({ ...row, id, duplicateOf: target })
    else problems.push({ row: row.row, ...target })
  }
  return { ideas: [...originals, ...duplicates], problems, idOf }
}

function idFor(idea: FileIdea, of: { projectId: string; times: Map<string, number> }): string {
  const { projectId, times } = of
  // The title tells ideas of two services with the same number apart.
  if (idea.id) return rowId(JSON.stringify(['idea', idea.id, idea.title]), projectId)
  const said = JSON.stringify([
    'idea',
    idea.title,
    idea.description,
    idea.author_id ?? '',
    idea.created_at ?? '',
  ])
  // Identical rows are different ideas.
  const time = (times.get(said) ?? 0) + 1
  times.set(said, time)
  return rowId(time === 1 ? said : `${said}${time}`, projectId)
}

type Target = string | Told

/**
 * The original of an idea, at the end of a chain of duplicates. Undefined: the idea is not a
 * duplicate. The result is cached for every idea of the chain.
 */
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
      const rule = `must be an idea of the file or the project: neither has ${name}`
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

/**
 * Finds tags by slug or by name, without case. Missing tags are created if that is wanted and the
 * project has room.
 */
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

/** The slug of a name. A name without ASCII letters or digits gets a hash. */
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
