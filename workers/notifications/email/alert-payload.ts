/**
 * What alert emails show of a stored notification. Every field may be absent, so that a delivery
 * that an earlier or later version has stored is still sent. Texts of events, ideas and feedback
 * are hostile: controls and characters that reorder text are removed here, and all are cut.
 */
import { z } from 'zod'
import { cleanVisibleLine, cleanVisibleText } from '#schemas/visible-text.ts'

const lineCharactersMax = 300
const titleCharactersMax = 200
const nameCharactersMax = 100
const messageCharactersMax = 2_000

/** An unexpected value counts as an absent one. */
const optional = <T extends z.ZodType>(shape: T) => shape.optional().catch(undefined)

/** One line without controls, or undefined if nothing is left. */
export function alertLine(text: string, charactersMax = lineCharactersMax): string | undefined {
  // Cleaning is slow for very long texts, and removes characters that must not count.
  const clean = cleanVisibleLine(text.slice(0, 4 * charactersMax))
  return cut(clean, charactersMax) || undefined
}

function alertText(text: string): string | undefined {
  const clean = cleanVisibleText(text.slice(0, 4 * messageCharactersMax))
  return cut(clean, messageCharactersMax) || undefined
}

/** At most so many characters, of which none is cut in half. */
function cut(text: string, charactersMax: number): string {
  const characters = [...text]
  if (characters.length <= charactersMax) return text
  return `${characters
    .slice(0, charactersMax - 1)
    .join('')
    .trimEnd()}…`
}

const lineOf = (charactersMax: number) =>
  optional(z.string().transform((text) => alertLine(text, charactersMax)))
const line = lineOf(lineCharactersMax)
const title = lineOf(titleCharactersMax)
const name = lineOf(nameCharactersMax)
const count = optional(z.number().int().nonnegative())
const id = optional(z.guid())
const urlCharactersMax = 1_000
/** Links are our own, but an email must never get another scheme. */
const url = optional(z.url({ protocol: /^https?$/ }).max(urlCharactersMax))

const subjects = {
  issue: optional(
    z.object({
      id,
      short_id: name,
      title,
      culprit: title,
      level: name,
      count,
      user_count: count,
      url,
      first_seen: optional(z.iso.datetime()),
    }),
  ),
  event: optional(
    z.object({
      id: optional(z.string().regex(/^[0-9a-f]{32}$/)),
      release: name,
      environment: name,
    }),
  ),
  monitor: optional(z.object({ slug: name, environment: name, url })),
  idea: optional(z.object({ id, title, status: name, url })),
  feedback: optional(
    z.object({ id, message: optional(z.string().transform((text) => alertText(text))), url }),
  ),
}

const Firing = z.object({ type: name, reason: line, ...subjects })
export type AlertFiring = z.infer<typeof Firing>

const firingsMax = 20

const AlertPayload = z.object({
  type: z
    .string()
    .transform((text) => alertLine(text, 50) ?? '')
    .catch(''),
  data: z
    .object({
      project: optional(z.object({ name })),
      rule: optional(z.object({ name })),
      reason: line,
      ...subjects,
      digest: optional(
        z.object({
          count,
          more: count,
          firings: optional(z.array(Firing.catch({})).transform((all) => all.slice(0, firingsMax))),
        }),
      ),
    })
    .catch({}),
})
export type AlertPayload = z.infer<typeof AlertPayload>

export function readAlertPayload(stored: unknown): AlertPayload {
  return AlertPayload.safeParse(stored).data ?? { type: '', data: {} }
}

/** Ids of the issues that a notification is about. */
export function issueIdsOf({ data }: AlertPayload): string[] {
  const all = [data, ...(data.digest?.firings ?? [])]
  return [...new Set(all.flatMap(({ issue }) => issue?.id ?? []))]
}

/**
 * The notification without the issues that a person does not want to hear about. Undefined if
 * nothing is left.
 */
export function withoutIssues(
  payload: AlertPayload,
  stopped: ReadonlySet<string>,
): AlertPayload | undefined {
  const isStopped = ({ issue }: Pick<AlertFiring, 'issue'>) =>
    issue?.id !== undefined && stopped.has(issue.id)
  const { data } = payload
  const { digest } = data
  if (digest === undefined) return isStopped(data) ? undefined : payload
  const listed = digest.firings ?? []
  const firings = listed.filter((firing) => !isStopped(firing))
  if (firings.length === listed.length) return payload
  if (firings.length === 0 && (digest.more ?? 0) === 0) return undefined
  const left = Math.max((digest.count ?? listed.length) - (listed.length - firings.length), 1)
  return { ...payload, data: { ...data, digest: { ...digest, firings, count: left } } }
}
