import { ButtonLink } from '../../../design/button.tsx'
import { TimeChart } from '../../../design/charts/time-chart.tsx'
import { Badge } from '../../../design/content/badge.tsx'
import { Facts } from '../../../design/content/data-table.tsx'
import { formatNumber, formatShare } from '../../../design/content/format.ts'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import { projectPath, useProjectId } from '../../../url/use-project.ts'
import { dropOutcomes, type OutcomeRow, type ReasonRow } from './outcome-sums.ts'
import { outcomeTone } from './outcome-tone.ts'
import { categoryNames, outcomeNames, reasonWords } from './reason-words.ts'
import { useValueNames } from './value-names.ts'

/** What a reason means, what to do about it, and where these items came from. */
export function ReasonDialog({
  row,
  items,
  times,
  received,
  onClose,
}: {
  readonly row: ReasonRow
  readonly items: readonly OutcomeRow[]
  readonly times: readonly string[]
  readonly received: number
  readonly onClose: () => void
}) {
  const projectId = useProjectId()
  const words = reasonWords(row.outcome, row.reason)
  const same = items.filter(
    ({ outcome, reason }) => outcome === row.outcome && (reason ?? null) === row.reason,
  )
  const isSent = row.outcome !== 'client_discard'
  const color = dropOutcomes.find(({ outcome }) => outcome === row.outcome)?.color ?? 6
  const path = words.link?.path
  const nameOf = useValueNames()
  return (
    <Dialog
      title={words.title}
      size="side"
      onClose={onClose}
      footer={
        path === undefined ? undefined : (
          <ButtonLink
            kind="primary"
            href={path.startsWith('/') ? path : projectPath(projectId, path)}
          >
            {words.link?.label}
          </ButtonLink>
        )
      }
    >
      <div class="stack">
        <p>{words.meaning}</p>
        <p>
          <strong>What to do:</strong> {words.action}
        </p>
        <TimeChart
          label={words.title}
          kind="bars"
          times={times}
          series={[{ name: 'Items', values: row.values, color }]}
          height={140}
        />
        <Facts
          facts={[
            {
              name: 'Outcome',
              value: (
                <>
                  <Badge tone={outcomeTone(row.outcome)}>
                    {outcomeNames[row.outcome] ?? row.outcome}
                  </Badge>{' '}
                  {row.reason !== null && <code>{row.reason}</code>}
                </>
              ),
            },
            {
              name: 'Items',
              value:
                isSent && received > 0
                  ? `${formatNumber(row.quantity)}, ${formatShare(row.quantity / received)} of all received`
                  : formatNumber(row.quantity),
            },
            ...row.categories.map(({ category, quantity }) => ({
              name: categoryNames[category] ?? category,
              value: formatNumber(quantity),
            })),
            ...sumBy(same, 'component').map(([name, quantity]) => ({
              name: `component ${name}`,
              value: formatNumber(quantity),
            })),
            ...sumBy(same, 'sdk').map(([name, quantity]) => ({
              name: `SDK ${nameOf('sdk', name)}`,
              value: formatNumber(quantity),
            })),
            ...sumBy(same, 'key').map(([name, quantity]) => ({
              name: `key ${name.slice(0, 8)}${name === 'none' ? '' : '…'}`,
              value: formatNumber(quantity),
            })),
          ]}
        />
      </div>
    </Dialog>
  )
}

const valuesMax = 10

function sumBy(
  items: readonly OutcomeRow[],
  name: 'component' | 'sdk' | 'key',
): readonly [string, number][] {
  const sums = new Map<string, number>()
  for (const item of items) {
    if (!(name in item)) continue
    const value = item[name] ?? 'none'
    sums.set(value, (sums.get(value) ?? 0) + item.quantity)
  }
  return [...sums].sort((a, b) => b[1] - a[1]).slice(0, valuesMax)
}
