/** What an entry of the audit log is about, where to see it, and its details in words. */
import type { AuditItem } from '../../../../generated/api.d.ts'
import { projectPath } from '../../../../url/use-project.ts'

export type Entry = AuditItem

export const vias = { login: 'dashboard', token: 'token', command_line: 'command line' } as const

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** In this order: the first that an entry has names what was deleted since. */
const namingDetails = ['name', 'title', 'label', 'slug', 'domain', 'email', 'prefix'] as const
const listedMax = 3

/** The present name, the one in the details, or an id that is a name. */
export function nameOf({ subject_name: name, subject_id: id, details }: Entry): string | undefined {
  if (isText(name)) return name
  const known = namingDetails.map((key) => details[key]).find((value) => isText(value))
  if (typeof known === 'string') return known
  return id === null || uuid.test(id) ? undefined : id
}

/** Its name, or what it was: an id tells nobody anything. */
export function subjectOf(entry: Entry): string {
  const { subject_type: type, subject_name: name, subject_id: id } = entry
  const kind = kindOf(entry)
  const isGone = name === null && id !== null
  return nameOf(entry) ?? (isGone ? `${type === 'person' ? 'former' : 'deleted'} ${kind}` : kind)
}

/** `person`, `sending domain`: what kind of thing it is. */
export function kindOf({ subject_type: type }: Entry): string {
  return type.replaceAll('_', ' ')
}

/** The page of the subject; undefined when it is gone or has none. */
export function pathOf(entry: Entry): string | undefined {
  const { subject_type: type, subject_id: id, subject_name: name, details } = entry
  const general = generalPaths[type]
  if (general !== undefined) return general
  if (id === null) return undefined
  if (type === 'monitor') return monitorPath(entry)
  if (name === null) return undefined
  const own = ownPaths[type]?.(id, details)
  if (own !== undefined) return own
  if (type === 'newsletter') {
    return isText(details['slug'])
      ? `/email/newsletters/${encodeURIComponent(details['slug'])}`
      : '/email/newsletters'
  }
  const page = projectPages[type]?.(id, details)
  return page === undefined || entry.project_id === null
    ? undefined
    : projectPath(entry.project_id, page)
}

/** A monitor is named by its slug; its entries name the project. */
function monitorPath({ action, subject_id: slug, details }: Entry): string | undefined {
  const projectId = details['project_id']
  if (action === 'monitor.deleted' || slug === null || !isText(projectId)) return undefined
  return projectPath(projectId, `monitors/${encodeURIComponent(slug)}`)
}

const generalPaths: Readonly<Record<string, string>> = {
  person: '/organization',
  organization: '/organization/data',
  deletion: '/organization/data',
  team: '/organization/teams',
  token: '/organization/tokens',
  api_key: '/organization/api-keys',
  webhook: '/organization/webhooks',
  bounce_adapter: '/email/bounces?tab=hooks',
  address: '/email/suppressions',
  blocked_domain: '/email/settings',
  from_domain: '/email/domains',
  dead_letter: '/operation/dead-letters',
  job: '/operation/jobs',
}

type PathOf = (id: string, details: Entry['details']) => string | undefined

const ownPaths: Readonly<Record<string, PathOf>> = {
  campaign: (id) => `/email/campaigns/${id}`,
  contact: (id) => `/email/contacts/${id}`,
  contact_import: (id) => `/email/contacts/import/${id}`,
  sending_domain: (id) => `/email/domains/${id}`,
  email: (id) => `/email/sends/${id}`,
  delivery: (_id, { webhook_id: webhook }) =>
    isText(webhook) ? `/organization/webhooks?deliveries=${webhook}` : undefined,
}

/** Below the project of the subject. */
const projectPages: Readonly<Record<string, PathOf>> = {
  project: () => 'settings',
  alert: (id) => `alerts/${id}`,
  dsn_key: () => 'settings/keys',
  idea: (id) => `ideas/${id}`,
  comment: () => 'ideas/comments',
  feedback: (id) => `feedback/${id}`,
  tag: () => 'ideas/tags',
  view: () => 'issues',
  enduser: () => 'portal?tab=users',
  enduser_secret: () => 'portal?tab=sign-in',
  delivery: (_id, { rule_id: rule }) => (isText(rule) ? `alerts/${rule}?tab=deliveries` : 'alerts'),
}

/** `newsletter demo · created yes`, without ids, and without what the row says already. */
export function detailWords(entry: Entry): string {
  const name = nameOf(entry)
  return Object.entries(entry.details)
    .filter(([key, value]) => !isIdKey(key) && !isId(value) && value !== null && value !== name)
    .map(([key, value]) => `${wordsOf(key)} ${textOf(value)}`)
    .join(' · ')
}

function isIdKey(key: string): boolean {
  return /(^|_)ids?$|Ids?$/.test(key)
}

function isId(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(isId)
  return typeof value === 'string' && uuid.test(value)
}

/** `unassigned_issues` and `rowsDone` are words. */
function wordsOf(key: string): string {
  return key
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
}

function textOf(value: unknown): string {
  if (value === true) return 'yes'
  if (value === false) return 'no'
  if (typeof value === 'string') return value === '' ? 'empty' : value
  if (Array.isArray(value)) {
    if (value.length === 0) return 'none'
    const more = value.length - listedMax
    const shown = value.slice(0, listedMax).map(textOf).join(', ')
    return more > 0 ? `${shown} and ${more} more` : shown
  }
  return JSON.stringify(value) ?? ''
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
