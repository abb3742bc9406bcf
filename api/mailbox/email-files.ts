/**
 * Reads the emails that the embedded capture server stores: `<id>.eml` with the raw source, and
 * `<id>.json` with the envelope. An id is a plain file name, checked before it becomes part of a
 * path.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { HeaderLines } from 'mailparser'
import { Email, type EmailDetail } from '#schemas/rest/email/email.ts'

const idPattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/
const emailsReadMax = 5_000
const emailsShownMax = 500
const readsAtOnceMax = 64

/** Newest first. */
export async function listEmails(folder: string, to: string | undefined): Promise<Email[]> {
  const ids = (await namesIn(folder))
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .filter((id) => idPattern.test(id))
    .sort()
    .reverse()
    .slice(0, emailsReadMax)
  const emails: Email[] = []
  for (let start = 0; start < ids.length; start += readsAtOnceMax) {
    const some = ids.slice(start, start + readsAtOnceMax).map((id) => readEmail(folder, id))
    for (const email of await Promise.all(some)) if (email !== undefined) emails.push(email)
  }
  const wanted = to?.trim().toLowerCase()
  return emails
    .filter((email) => wanted === undefined || email.to.some((a) => a.toLowerCase() === wanted))
    .sort((a, b) => (a.received_at < b.received_at ? 1 : a.received_at > b.received_at ? -1 : 0))
    .slice(0, emailsShownMax)
}

export async function openEmail(folder: string, id: string): Promise<EmailDetail | undefined> {
  if (!idPattern.test(id)) return undefined
  const email = await readEmail(folder, id)
  const raw = email && (await readIfThere(join(folder, `${id}.eml`)))
  if (email === undefined || raw === undefined) return undefined
  // A large package, and few installations have a mailbox.
  const { simpleParser } = await import('mailparser')
  const mail = await simpleParser(raw)
  return {
    ...email,
    headers: headersOf(mail.headerLines),
    text: mail.text ?? null,
    html: mail.html === false ? null : mail.html,
    raw: raw.toString('utf8'),
  }
}

/** Undefined also for an email that is being written right now. */
async function readEmail(folder: string, id: string): Promise<Email | undefined> {
  const json = await readIfThere(join(folder, `${id}.json`))
  if (json === undefined) return undefined
  try {
    const parsed = Email.safeParse({ ...JSON.parse(json.toString('utf8')), id })
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined
  }
}

/**
 * Names in lower case, values unfolded (RFC 5322 §2.2.3); values of a repeated header are joined by
 * line breaks.
 */
function headersOf(lines: HeaderLines): Record<string, string> {
  const headers = new Map<string, string>()
  for (const { key, line } of lines) {
    const value = line
      .slice(line.indexOf(':') + 1)
      .replace(/\r?\n(?=[ \t])/g, '')
      .trim()
    const before = headers.get(key)
    headers.set(key, before === undefined ? value : `${before}\n${value}`)
  }
  return Object.fromEntries(headers)
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
