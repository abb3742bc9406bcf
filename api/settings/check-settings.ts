/** Rules of settings that their schema cannot express. */
import { parseTextPattern } from '#platform/text/text-pattern.ts'
import type { FieldError } from '#schemas/error-codes.ts'
import { parseFingerprintRules } from '#schemas/grouping/parse-fingerprint-rules.ts'
import { parseStackTraceRules } from '#schemas/grouping/parse-stack-trace-rules.ts'
import type { RuleProblem } from '#schemas/grouping/rule-text.ts'
import type { ProjectSettingsChange } from '#schemas/project-settings.ts'
import { invalidFields } from '../http/validation/invalid-field.ts'

type GroupingChange = NonNullable<ProjectSettingsChange['grouping']>

/** Throws an error that names each invalid pattern and rule, and its first invalid character. */
export function checkSettings({ scrubbing, grouping }: ProjectSettingsChange): void {
  const errors = [
    ...patternErrors(scrubbing?.patterns ?? []),
    ...ruleErrors('grouping.', grouping ?? {}),
  ]
  const [first, ...others] = errors
  if (first !== undefined) throw invalidFields([first, ...others])
}

/** Throws as `checkSettings` does; the fields are those of the body itself. */
export function checkGroupingRules(grouping: GroupingChange): void {
  const [first, ...others] = ruleErrors('', grouping)
  if (first !== undefined) throw invalidFields([first, ...others])
}

function patternErrors(patterns: readonly string[]): FieldError[] {
  return patterns.flatMap((pattern, index): FieldError[] => {
    const parsed = parseTextPattern(pattern)
    if (parsed.kind === 'pattern') return []
    const rule = `at character ${parsed.at + 1}: ${parsed.rule}`
    return [{ field: `scrubbing.patterns.${index}`, rule }]
  })
}

function ruleErrors(
  prefix: string,
  { fingerprint_rules: fingerprint = '', stack_trace_rules: stackTrace = '' }: GroupingChange,
): FieldError[] {
  const errorsIn = (field: string, problems: readonly RuleProblem[]) =>
    problems.map(
      ({ line, at, message }): FieldError => ({
        field: `${prefix}${field}`,
        rule: `line ${line}, character ${at}: ${message}`,
      }),
    )
  return [
    ...errorsIn('fingerprint_rules', parseFingerprintRules(fingerprint).problems),
    ...errorsIn('stack_trace_rules', parseStackTraceRules(stackTrace).problems),
  ]
}
