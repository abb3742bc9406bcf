/**
 * Who speaks on a portal. With end-user auth off it is whoever `enduser_id` says, and a token is ignored even when it is broken; with
 * it on a write needs a valid token, whose `sub` counts whatever else is sent, while a read without one falls back to
 * `enduser_id`, because all it learns there is which ideas somebody voted for.
 */
import type { FastifyRequest } from 'fastify'
import { parseEmailAddress } from '#schemas/email-address.ts'
import { CodedError } from '#schemas/error-codes.ts'
import type { ApiContext } from '../../context.ts'
import type { Database } from '../../database.ts'
import { invalidField } from '../../http/validation/invalid-field.ts'
import {
  type EmailSource,
  type EndUserRow,
  findEndUser,
  replacesEmail,
  saveEndUser,
} from '../endusers/enduser-store.ts'
import { type CheckedToken, checkEndUserToken, enduserIdError } from './enduser-token.ts'
import { type PortalProject, portalOf } from './portal-gate.ts'

export interface ViewerFields {
  readonly enduser_id?: string | null | undefined
  readonly token?: string | null | undefined
}

export interface WriterFields extends ViewerFields {
  readonly enduser_email?: string | null | undefined
}

export interface EndUser {
  /** The row's id. */
  readonly id: string
  readonly enduserId: string
  readonly name: string | null
}

export interface StoredEndUser extends EndUser {
  readonly email: string | null
  readonly trusted: boolean
  /** An address given with this write that is not the stored one: it counts for this vote, idea or comment alone. */
  readonly emailOfThis: string | null
}

/** Rows say when somebody was last seen to the minute; more often nobody asks. */
const seenEveryMs = 60_000
const bearerPattern = /^Bearer +(\S+)\s*$/i

/** The id that a read is for, without asking the store; undefined: nobody in particular. */
export function viewerIdOf(
  request: FastifyRequest,
  ctx: Pick<ApiContext, 'clock'>,
  fields: ViewerFields,
): string | undefined {
  const portal = portalOf(request)
  if (portal.settings.enduserAuth) {
    const token = tokenOf(request, fields)
    const checked = token === undefined ? undefined : check(token, portal, ctx)
    if (checked?.kind === 'user') return checked.user.enduserId
    if (portal.settings.readsNeedToken) return undefined
  }
  const enduserId = fields.enduser_id?.trim() ?? ''
  if (enduserId === '') return undefined
  const wrong = enduserIdError(enduserId)
  if (wrong !== undefined) throw invalidField('enduser_id', wrong)
  return enduserId
}

/** The user that a read is for, where one of that id has ever written. Makes no row. */
export async function viewerOf(
  request: FastifyRequest,
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  fields: ViewerFields,
): Promise<EndUser | undefined> {
  const enduserId = viewerIdOf(request, ctx, fields)
  if (enduserId === undefined) return undefined
  return findEndUser(ctx.pg, { projectId: portalOf(request).projectId, enduserId })
}

/** The user who writes. Call it before anything else is stored, in the transaction of the write. */
export async function writerOf(
  pg: Database,
  request: FastifyRequest,
  ctx: Pick<ApiContext, 'clock'>,
  fields: WriterFields,
): Promise<StoredEndUser> {
  const { projectId } = portalOf(request)
  const said = saidOf(request, ctx, fields)
  const now = new Date(ctx.clock.nowMs())
  const known = await findEndUser(pg, { projectId, enduserId: said.enduserId })
  const isCurrent = known !== undefined && !changes(known, said, now)
  const row = isCurrent ? known : await saveEndUser(pg, { projectId, now, ...said })
  if (row.blockedAt !== null) throw new CodedError('blocked')
  const given = said.givenEmail
  return {
    id: row.id,
    enduserId: row.enduserId,
    name: row.name,
    email: row.email,
    trusted: row.trusted,
    emailOfThis: given !== undefined && given !== row.email ? given : null,
  }
}

interface Said {
  readonly enduserId: string
  readonly email: string | undefined
  readonly emailSource: EmailSource
  readonly name: string | undefined
  readonly signed: boolean
  /** What stood in `enduser_email`, signed or not. */
  readonly givenEmail: string | undefined
}

function saidOf(
  request: FastifyRequest,
  ctx: Pick<ApiContext, 'clock'>,
  fields: WriterFields,
): Said {
  const portal = portalOf(request)
  const givenEmail = emailOf(fields.enduser_email)
  if (!portal.settings.enduserAuth) {
    const enduserId = fields.enduser_id?.trim() ?? ''
    if (enduserId === '') throw invalidField('enduser_id', 'is required')
    const wrong = enduserIdError(enduserId)
    if (wrong !== undefined) throw invalidField('enduser_id', wrong)
    return {
      ...{ enduserId, email: givenEmail, emailSource: 'typed', name: undefined, signed: false },
      givenEmail,
    }
  }
  const token = tokenOf(request, fields)
  if (token === undefined) throw new CodedError('token_required')
  const checked = check(token, portal, ctx)
  if (checked.kind !== 'user') throw refusedToken(checked)
  const { enduserId, email, name } = checked.user
  const emailSource = email === undefined ? 'typed' : 'token'
  return { enduserId, name, email: email ?? givenEmail, emailSource, signed: true, givenEmail }
}

function refusedToken(checked: Exclude<CheckedToken, { kind: 'user' }>): CodedError {
  const code = checked.kind === 'expired' ? 'token_expired' : 'token_invalid'
  return new CodedError(code, { details: [{ field: 'token', rule: checked.reason }] })
}

function check(token: string, portal: PortalProject, ctx: Pick<ApiContext, 'clock'>): CheckedToken {
  const { tokenKeys: keys, projectKey } = portal
  return checkEndUserToken(token, { keys, projectKey, nowMs: ctx.clock.nowMs() })
}

/** `Authorization: Bearer` keeps a token out of the address of a GET and DELETE. */
function tokenOf(request: FastifyRequest, fields: ViewerFields): string | undefined {
  const field = fields.token?.trim() ?? ''
  if (field !== '') return field
  return bearerPattern.exec(request.headers.authorization ?? '')?.[1]
}

/** Blank is absent: forms send the empty text for what nobody filled in. */
function emailOf(text: string | null | undefined): string | undefined {
  if (text === undefined || text === null || text.trim() === '') return undefined
  const parsed = parseEmailAddress(text)
  if (parsed.kind === 'invalid') throw invalidField('enduser_email', parsed.rule)
  return parsed.email
}

function changes(known: EndUserRow, said: Said, now: Date): boolean {
  if (seenEveryMs <= now.getTime() - known.lastSeenAt.getTime()) return true
  const sameEmail = said.email === known.email && said.emailSource === known.emailSource
  if (!sameEmail && replacesEmail(known, said)) return true
  const newName = said.name !== undefined && said.name !== known.name
  return newName && (said.signed || known.name === null)
}
