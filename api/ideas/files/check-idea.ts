/**
 * Corrects parts of an imported idea that are no reason to skip the idea. Each correction is noted.
 */
import { parseEmailAddress } from '#schemas/email-address.ts'
import type { FileIdea } from '#schemas/rest/portal/idea-file.ts'
import { cleanVisibleText, isVisible } from '#schemas/visible-text.ts'
import { mapInSlices } from '../../files/slices.ts'

export interface Told {
  readonly field: string
  readonly rule: string
}

/** Removes invalid email addresses. */
export async function checkedEmails(idea: FileIdea, notes: Told[]): Promise<FileIdea> {
  const checked = (field: string, email: string | null | undefined) => {
    if (!email) return null
    const parsed = parseEmailAddress(email)
    if (parsed.kind !== 'invalid') return parsed.email
    notes.push({ field, rule: `${email} is not an email address and was omitted` })
    return null
  }
  return {
    ...idea,
    author_email: checked('author_email', idea.author_email),
    voters: await mapInSlices(idea.voters, (one) => ({
      ...one,
      email: checked('voters.email', one.email),
    })),
    users: await mapInSlices(idea.users, (one) => ({
      ...one,
      email: checked('users.email', one.email),
    })),
    comments: await mapInSlices(idea.comments, (one) => ({
      ...one,
      author_email: checked('comments.author_email', one.author_email),
    })),
  }
}

/**
 * Removes comments without a text that were not deleted. A comment whose parent is missing becomes
 * a top-level one.
 */
export async function checkedComments(idea: FileIdea, notes: Told[]): Promise<FileIdea> {
  const cleaned = await mapInSlices(idea.comments, (one) => {
    const body = cleanVisibleText(one.body)
    return one.deleted_at || isVisible(body) ? { ...one, body } : undefined
  })
  const kept = cleaned.filter((one) => one !== undefined)
  const left = idea.comments.length - kept.length
  if (left > 0) notes.push({ field: 'comments', rule: `${left} without a text were omitted` })
  const parents = new Map(kept.flatMap(({ id, parent_id }) => (id ? [[id, parent_id]] : [])))
  const rooted = new Map<string, boolean>()
  const isRooted = (from: string | null | undefined) => {
    const passed = new Set<string>()
    let id = from
    while (id && parents.has(id) && !passed.has(id) && !rooted.has(id)) {
      passed.add(id)
      id = parents.get(id)
    }
    const isRoot = !id || (rooted.get(id) ?? false)
    for (const one of passed) rooted.set(one, isRoot)
    return isRoot
  }
  const orphans = kept.filter(({ id, parent_id }) => !isRooted(id ?? parent_id))
  if (orphans.length > 0) {
    const rule = `${orphans.length} with a missing parent became top-level comments`
    notes.push({ field: 'comments.parent_id', rule })
  }
  const isOrphan = new Set(orphans)
  const comments = kept.map((one) => (isOrphan.has(one) ? { ...one, parent_id: null } : one))
  return { ...idea, comments }
}
