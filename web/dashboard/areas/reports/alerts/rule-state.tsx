/** Whether a rule tells anything now, and whether it arrives. */
import { Badge } from '../../../design/content/badge.tsx'
import { formatExact } from '../../../design/content/format.ts'
import { Time } from '../../../design/content/time.tsx'
import type { Rule } from './rule/draft.ts'

export function failingTargets(rule: Pick<Rule, 'then'>): readonly Rule['then'][number][] {
  const now = Date.now()
  return rule.then.filter(
    ({ disabled_at: disabled, paused_until: paused }) =>
      disabled !== null || (paused !== null && Date.parse(paused) > now),
  )
}

export function isMuted({ muted_until: until }: Pick<Rule, 'muted_until'>): boolean {
  return until !== null && Date.parse(until) > Date.now()
}

export function RuleState({ rule }: { readonly rule: Rule }) {
  const failing = failingTargets(rule).length
  return (
    <span class="row">
      {rule.enabled ? <Badge tone="success">On</Badge> : <Badge>Off</Badge>}
      {isMuted(rule) && (
        <Badge tone="warning" title={`Until ${formatExact(rule.muted_until ?? '')}`}>
          Muted
        </Badge>
      )}
      {failing > 0 && (
        <Badge tone="danger">
          {failing} failing {failing === 1 ? 'channel' : 'channels'}
        </Badge>
      )}
      {rule.warnings.length > 0 && (
        <Badge tone="warning" title={rule.warnings.map(({ rule: text }) => text).join('\n')}>
          {rule.warnings.length} {rule.warnings.length === 1 ? 'warning' : 'warnings'}
        </Badge>
      )}
    </span>
  )
}

export function LastFired({ rule }: { readonly rule: Pick<Rule, 'last_fired_at'> }) {
  if (rule.last_fired_at === null) return <span>never fired</span>
  return (
    <span>
      fired <Time at={rule.last_fired_at} />
    </span>
  )
}
