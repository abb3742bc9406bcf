/**
 * The settings of a project, apart from its quota: what is removed from events, which events are
 * filtered out, how long events are kept, and which web pages may send them. They are stored as one
 * JSON value of the project. The worker that plans a range copies the settings into the plan, so
 * that digesting the range again gives the same result.
 */
import { z } from 'zod'
import { AllowedOrigin } from './allowed-origin.ts'
import { attachmentMegabytesPerDay, attachmentMegabytesPerDayMax } from './limits.ts'
import { retentionDaysMax } from './retention/policy.ts'

const globCharactersMax = 200
export const patternCharactersMax = 200
const keyRulesMax = 50
const globsMax = 50
/** Every pattern is matched against every text of every event. */
const textRulesMax = 10
const originsMax = 50

const Glob = z
  .string()
  .trim()
  .min(1)
  .max(globCharactersMax)
  .regex(/[^*\s]/, 'must contain more than stars')
/**
 * Checks only the length. The API parses patterns when they are saved
 * (platform/text/text-pattern.ts).
 */
const TextPattern = z.string().min(1).max(patternCharactersMax)

const scrubbing = {
  defaults: z
    .boolean()
    .describe(
      'Remove values whose key names a secret, and texts that look like card numbers, tokens, private keys or passwords.',
    ),
  ip_addresses: z
    .boolean()
    .describe('Also remove IP addresses, including the address of the connection.'),
  sensitive_keys: z
    .array(Glob)
    .max(keyRulesMax)
    .describe('Globs (`*`) of key names whose values are removed.'),
  safe_keys: z
    .array(Glob)
    .max(keyRulesMax)
    .describe('Globs (`*`) of key names that are not treated as names of secrets.'),
  patterns: z
    .array(TextPattern)
    .max(textRulesMax)
    .describe(
      'Patterns whose matches are removed from every text. A pattern consists of characters, `.`, `\\d`, `\\w`, `\\s`, `[a-f0-9]` and `[^ ]`, each with an optional `?`, `*`, `+`, `{4}` or `{4,8}`. Groups and alternatives are not supported.',
    ),
}

const filters = {
  browser_extensions: z
    .boolean()
    .describe('Drop errors of scripts that browser extensions inject into pages.'),
  legacy_browsers: z
    .boolean()
    .describe('Drop errors of browsers that are no longer supported by their vendors.'),
  localhost: z.boolean().describe('Drop events of pages and servers on localhost.'),
  web_crawlers: z.boolean().describe('Drop events of search engine crawlers.'),
  releases: z.array(Glob).max(globsMax).describe('Globs of releases whose events are dropped.'),
  error_messages: z
    .array(Glob)
    .max(globsMax)
    .describe('Globs of messages, or of `Type: message` of exceptions, whose events are dropped.'),
}

const retention_days = z
  .number()
  .int()
  .min(1)
  .max(retentionDaysMax)
  .nullable()
  .describe(
    'Days to keep events that are received from now on. Null: the default of the installation.',
  )
const allowed_origins = z
  .array(AllowedOrigin)
  .max(originsMax)
  .describe(
    'Origins whose pages may send events, such as `https://app.example.com` or `https://*.example.com`. An empty list allows all.',
  )

const attachments = {
  keep: z
    .boolean()
    .describe(
      'Keep the files that SDKs send with events: screenshots, logs, view hierarchies and minidumps. Otherwise they are counted as unsupported.',
    ),
  megabytes_per_day: z
    .number()
    .int()
    .min(1)
    .max(attachmentMegabytesPerDayMax)
    .describe('Files beyond this size in total are not kept until the next day (UTC). MiB.'),
}

/** The stored settings. A missing field has the default of a new project. */
export const ProjectSettings = z
  .object({
    scrubbing: z
      .object({
        defaults: scrubbing.defaults.default(true),
        ip_addresses: scrubbing.ip_addresses.default(false),
        sensitive_keys: scrubbing.sensitive_keys.default([]),
        safe_keys: scrubbing.safe_keys.default([]),
        patterns: scrubbing.patterns.default([]),
      })
      .prefault({}),
    filters: z
      .object({
        browser_extensions: filters.browser_extensions.default(false),
        legacy_browsers: filters.legacy_browsers.default(false),
        localhost: filters.localhost.default(false),
        web_crawlers: filters.web_crawlers.default(false),
        releases: filters.releases.default([]),
        error_messages: filters.error_messages.default([]),
      })
      .prefault({}),
    attachments: z
      .object({
        keep: attachments.keep.default(false),
        megabytes_per_day: attachments.megabytes_per_day.default(attachmentMegabytesPerDay),
      })
      .prefault({}),
    retention_days: retention_days.default(null),
    allowed_origins: allowed_origins.default([]),
  })
  .meta({ id: 'ProjectSettings' })
export type ProjectSettings = z.infer<typeof ProjectSettings>
export type ScrubbingSettings = ProjectSettings['scrubbing']
export type FilterSettings = ProjectSettings['filters']

/** Omitted fields keep their values, also within `scrubbing`, `filters` and `attachments`. */
export const ProjectSettingsChange = z
  .strictObject({
    scrubbing: z.strictObject(scrubbing).partial(),
    filters: z.strictObject(filters).partial(),
    attachments: z.strictObject(attachments).partial(),
    retention_days,
    allowed_origins,
  })
  .partial()
  .meta({
    id: 'ProjectSettingsChange',
    example: {
      scrubbing: { ip_addresses: true, sensitive_keys: ['national_id'], patterns: ['EMP-\\d{6}'] },
      filters: { browser_extensions: true, error_messages: ['*ResizeObserver loop*'] },
      attachments: { keep: true },
      retention_days: 30,
      allowed_origins: ['https://*.example.com'],
    },
  })
export type ProjectSettingsChange = z.infer<typeof ProjectSettingsChange>

export const defaultProjectSettings: ProjectSettings = ProjectSettings.parse({})
