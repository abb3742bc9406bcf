/**
 * Export formats of other services: the columns that identify each, and the meaning of its columns
 * and values. Column names are normalised. In every format a column that is neither listed here nor
 * mapped is checked for looking like an opt-out.
 */
import type {
  ImportFormat,
  ImportOutcome,
  StateColumn,
} from '#schemas/rest/email/contact-import.ts'

export type StateReading = Omit<StateColumn, 'column' | 'name'>

export interface FileFormat {
  readonly format: ImportFormat
  readonly recognizedBy: (names: ReadonlySet<string>) => boolean
  readonly email: readonly string[]
  /** Groups of columns. The first group that is complete in the file is used. */
  readonly name: readonly (readonly string[])[]
  readonly source?: string
  readonly states: Readonly<Record<string, StateReading>>
  readonly attribsJson?: string
  readonly tags?: string
  readonly createdAt?: readonly string[]
  readonly confirmedAt?: string
  readonly unsubscribedAt?: string
  /** Columns that are recognized and not imported. */
  readonly notImported: readonly string[]
  /** True: other columns become attributes, and attributes that are not valid are left out. */
  readonly foreign: boolean
  /** Information that the file does not contain. */
  readonly note?: string
}

const yes = ['true', 't', 'yes', 'y', '1', 'x', 'on', 'ja', 'oui', 'si', 'sí']
const no = ['false', 'f', 'no', 'n', '0', 'off', 'nein', 'non']

function words(given: Partial<Record<ImportOutcome, readonly string[]>>) {
  return Object.fromEntries(
    Object.entries(given).flatMap(([outcome, cells]) => cells.map((cell) => [cell, outcome])),
  ) as Record<string, ImportOutcome>
}

/** A column that holds yes or the date of the event. */
export function flagReading(outcome: ImportOutcome): StateReading {
  return {
    values: { ...words({ nothing: no }), ...words({ [outcome]: yes }) },
    blank: 'nothing',
    date: outcome,
  }
}

/** A column that holds consent. A blank cell is no consent. */
export const consentReading: StateReading = {
  values: words({ nothing: yes, unsubscribed: no }),
  blank: 'unsubscribed',
  date: 'nothing',
}

export const ownWords: StateReading = {
  values: {
    subscribed: 'nothing',
    pending: 'pending',
    unsubscribed: 'unsubscribed',
    bounced: 'bounced',
    complained: 'complained',
  },
}

const filled = (outcome: ImportOutcome): StateReading => ({
  values: {},
  blank: 'nothing',
  other: outcome,
})

const generic: FileFormat = {
  format: 'generic',
  recognizedBy: () => true,
  email: ['email', 'e_mail', 'mail', 'email_address', 'e_mail_address', 'emailaddress'],
  name: [
    ['name'],
    ['full_name'],
    ['fullname'],
    ['display_name'],
    ['first_name', 'last_name'],
    ['first_name'],
  ],
  source: 'source',
  states: { status: { ...ownWords, blank: 'nothing' } },
  attribsJson: 'attribs',
  notImported: [],
  foreign: false,
}

const sluice: FileFormat = {
  ...generic,
  format: 'sluice',
  recognizedBy: (names) => has(names, 'email', 'status', 'attribs', 'suppression_cause'),
  states: { status: ownWords },
  createdAt: ['created_at'],
  confirmedAt: 'confirmed_at',
  unsubscribedAt: 'unsubscribed_at',
  // Its columns about suppressions are read by readState.
  notImported: ['id'],
}

const listmonk: FileFormat = {
  format: 'listmonk',
  recognizedBy: (names) => has(names, 'uuid', 'email', 'attributes', 'status'),
  email: ['email'],
  name: [['name']],
  states: {
    status: {
      values: words({
        nothing: ['enabled'],
        unsubscribed: ['disabled'],
        blocked: ['blocklisted', 'blacklisted'],
      }),
    },
    subscription_status: {
      values: words({
        nothing: ['confirmed'],
        pending: ['unconfirmed'],
        unsubscribed: ['unsubscribed'],
      }),
    },
  },
  attribsJson: 'attributes',
  createdAt: ['created_at'],
  notImported: ['uuid', 'id', 'updated_at', 'lists', 'subscription_created_at'],
  foreign: true,
  note: 'This listmonk export does not tell who unsubscribed from a single list or never confirmed it, unless it was filtered. Export the list with subscription_status=confirmed, and import its export with subscription_status=unsubscribed with status=unsubscribed.',
}

const mailchimp: FileFormat = {
  format: 'mailchimp',
  recognizedBy: (names) =>
    names.has('email_address') &&
    ['member_rating', 'optin_time', 'leid', 'euid', 'unsub_time', 'clean_time'].some((name) =>
      names.has(name),
    ),
  email: ['email_address'],
  name: [['first_name', 'last_name'], ['first_name'], ['name'], ['full_name']],
  states: {
    unsub_time: filled('unsubscribed'),
    unsub_campaign_title: filled('unsubscribed'),
    unsub_campaign_id: filled('unsubscribed'),
    unsub_reason: {
      ...filled('unsubscribed'),
      values: words({ complained: ['abuse', 'abuse complaint', 'abuse report'] }),
    },
    unsub_reason_other: filled('unsubscribed'),
    clean_time: filled('bounced'),
    clean_campaign_title: filled('bounced'),
    clean_campaign_id: filled('bounced'),
  },
  tags: 'tags',
  createdAt: ['optin_time', 'confirm_time'],
  confirmedAt: 'confirm_time',
  unsubscribedAt: 'unsub_time',
  notImported: [
    ...['member_rating', 'optin_ip', 'confirm_ip', 'latitude', 'longitude', 'gmtoff', 'dstoff'],
    ...['timezone', 'cc', 'region', 'last_changed', 'leid', 'euid', 'notes'],
  ],
  foreign: true,
}

const resend: FileFormat = {
  format: 'resend',
  recognizedBy: (names) =>
    has(names, 'id', 'email', 'first_name', 'last_name', 'unsubscribed', 'created_at'),
  email: ['email'],
  name: [['first_name', 'last_name']],
  states: {
    unsubscribed: { values: words({ unsubscribed: ['true', 't'], nothing: ['false', 'f'] }) },
  },
  createdAt: ['created_at'],
  notImported: ['id'],
  foreign: true,
}

const buttondownTypes: StateReading = {
  values: words({
    nothing: [
      ...['regular', 'premium', 'trialed', 'unpaid', 'gifted', 'churning', 'churned', 'past_due'],
      'paused',
    ],
    pending: ['unactivated', 'upcoming'],
    unsubscribed: ['unsubscribed', 'removed', 'disabled'],
    bounced: ['undeliverable', 'malformed'],
    complained: ['complained'],
    blocked: ['blocked', 'spammy'],
  }),
}

const buttondown: FileFormat = {
  format: 'buttondown',
  recognizedBy: (names) =>
    (names.has('email') || names.has('email_address')) &&
    (names.has('subscriber_type') ||
      (names.has('type') &&
        ['metadata', 'creation_date', 'unsubscription_date'].some((name) => names.has(name)))),
  email: ['email_address', 'email'],
  name: [['name']],
  states: {
    subscriber_type: buttondownTypes,
    type: buttondownTypes,
    unsubscription_date: filled('unsubscribed'),
  },
  attribsJson: 'metadata',
  tags: 'tags',
  createdAt: ['creation_date', 'subscription_date'],
  unsubscribedAt: 'unsubscription_date',
  notImported: [
    ...['id', 'secondary_id', 'notes', 'referrer_url', 'source', 'utm_campaign', 'utm_medium'],
    ...['utm_source', 'ip_address', 'avatar_url', 'stripe_customer_id', 'stripe_coupon'],
    ...['referral_code', 'churn_date', 'upgrade_date', 'unsubscription_reason', 'transitions'],
    ...['undeliverability_date', 'undeliverability_reason', 'last_open_date', 'last_click_date'],
    ...['last_bounce_date', 'last_bounce_reason', 'open_rate', 'click_rate', 'risk_score'],
  ],
  foreign: true,
}

const keila: FileFormat = {
  format: 'keila',
  // Exports of older versions have no `status`, so they do not tell who unsubscribed.
  recognizedBy: (names) =>
    has(names, 'email', 'first_name', 'last_name', 'data') &&
    (names.has('status') || names.size === 4),
  email: ['email'],
  name: [['first_name', 'last_name']],
  states: {
    status: {
      values: words({
        nothing: ['active'],
        unsubscribed: ['unsubscribed'],
        bounced: ['unreachable'],
      }),
    },
  },
  attribsJson: 'data',
  notImported: [],
  foreign: true,
}

const formats = [sluice, listmonk, mailchimp, resend, buttondown, keila, generic]

/** `asked` overrides the recognition. */
export function formatOf(names: ReadonlySet<string>, asked: ImportFormat | undefined): FileFormat {
  return formats.find((format) =>
    asked === undefined ? format.recognizedBy(names) : format.format === asked,
  )!
}

function has(names: ReadonlySet<string>, ...wanted: readonly string[]): boolean {
  return wanted.every((name) => names.has(name))
}
