/**
 * What a project has chosen beside its limits: what is removed from events, which events are filtered out, how long they are
 * kept, and which web pages may send. Stored as one JSON value of the project; the worker that plans a range writes the
 * settings it found into the plan, so that the range is digested alike whenever it is digested again.
 */
import { z } from 'zod'
import { AllowedOrigin } from './allowed-origin.ts'
import { parseTextPattern, patternCharactersMax } from './text-pattern.ts'

const globCharactersMax = 200
const keyRulesMax = 50
const globsMax = 50
/** Each is looked for in every text of every event. */
const textRulesMax = 10
const originsMax = 50
/** Ten years: longer than whoever set it will remember. */
export const retentionDaysMax = 3650

const Glob = z
  .string()
  .trim()
  .min(1)
  .max(globCharactersMax)
  .regex(/[^*\s]/, 'must hold more than stars')
const TextPattern = z
  .string()
  .min(1)
  .max(patternCharactersMax)
  .superRefine((pattern, ctx) => {
    const parsed = parseTextPattern(pattern)
    if (parsed.kind === 'pattern') return
    ctx.addIssue({ code: 'custom', message: `at character ${parsed.at + 1}: ${parsed.rule}` })
  })

const scrubbing = {
  defaults: z
    .boolean()
    .describe(
      'Remove secrets by the name of their key, and card numbers, tokens, private keys and passwords by their form.',
    ),
  ip_addresses: z.boolean().describe('Remove IP addresses too, that of the connection included.'),
  sensitive_keys: z
    .array(Glob)
    .max(keyRulesMax)
    .describe('Globs (`*`): what stands under a key of such a name is removed.'),
  safe_keys: z
    .array(Glob)
    .max(keyRulesMax)
    .describe('Globs (`*`): keys whose name says nothing about what stands under them.'),
  patterns: z
    .array(TextPattern)
    .max(textRulesMax)
    .describe(
      'What is removed from every text: characters, `.`, `\\d`, `\\w`, `\\s`, `[a-f0-9]`, `[^ ]`, each with `?`, `*`, `+`, `{4}` or `{4,8}`. No groups, no choices.',
    ),
}

const filters = {
  browser_extensions: z.boolean().describe('Errors of scripts that extensions bring into a page.'),
  legacy_browsers: z.boolean().describe('Errors of browsers that their makers gave up long ago.'),
  localhost: z.boolean().describe('Events of pages and servers on the own machine.'),
  web_crawlers: z.boolean().describe('Events of the crawlers of search engines.'),
  releases: z.array(Glob).max(globsMax).describe('Globs of releases whose events are not wanted.'),
  error_messages: z
    .array(Glob)
    .max(globsMax)
    .describe('Globs of messages, or of `Type: message` of an exception.'),
}

const retention_days = z
  .number()
  .int()
  .min(1)
  .max(retentionDaysMax)
  .nullable()
  .describe('Days that events are kept, from now on; null: as the installation has it.')
const allowed_origins = z
  .array(AllowedOrigin)
  .max(originsMax)
  .describe(
    'Origins whose pages may send, such as `https://app.example.com` or `https://*.example.com`; none: all.',
  )

/** As stored: what is not said is as a new project has it. */
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
    retention_days: retention_days.default(null),
    allowed_origins: allowed_origins.default([]),
  })
  .meta({ id: 'ProjectSettings' })
export type ProjectSettings = z.infer<typeof ProjectSettings>
export type ScrubbingSettings = ProjectSettings['scrubbing']
export type FilterSettings = ProjectSettings['filters']

/** What is left out stays as it is, in each part. */
export const ProjectSettingsChange = z
  .strictObject({
    scrubbing: z.strictObject(scrubbing).partial(),
    filters: z.strictObject(filters).partial(),
    retention_days,
    allowed_origins,
  })
  .partial()
  .meta({
    id: 'ProjectSettingsChange',
    example: {
      scrubbing: { ip_addresses: true, sensitive_keys: ['national_id'], patterns: ['EMP-\\d{6}'] },
      filters: { browser_extensions: true, error_messages: ['*ResizeObserver loop*'] },
      retention_days: 30,
      allowed_origins: ['https://*.example.com'],
    },
  })
export type ProjectSettingsChange = z.infer<typeof ProjectSettingsChange>

export const defaultProjectSettings: ProjectSettings = ProjectSettings.parse({})
