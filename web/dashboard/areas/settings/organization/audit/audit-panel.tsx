import { Button } from '../../../../design/button.tsx'
import { CodeBlock, CopyValue } from '../../../../design/content/copy.tsx'
import { Facts } from '../../../../design/content/data-table.tsx'
import { formatExact } from '../../../../design/content/format.ts'
import { Dialog } from '../../../../design/overlays/dialog.tsx'
import { type Entry, kindOf, pathOf, subjectOf, vias } from './describe-entry.ts'

interface AuditPanelProps {
  readonly entry: Entry
  readonly onSubject: (id: string) => void
  readonly onClose: () => void
}

/** One entry with everything that the API knows of it. */
export function AuditPanel({ entry, onSubject, onClose }: AuditPanelProps) {
  const { subject_id: id, details } = entry
  const subject = subjectOf(entry)
  const path = pathOf(entry)
  return (
    <Dialog title={entry.action} size="side" onClose={onClose}>
      <div class="stack">
        <Facts
          facts={[
            { name: 'When', value: formatExact(entry.at) },
            { name: 'Who', value: entry.actor },
            { name: 'From', value: [vias[entry.via], entry.ip].filter(Boolean).join(', ') },
            {
              name: `The ${kindOf(entry)}`,
              value: path === undefined ? subject : <a href={path}>{subject}</a>,
            },
            ...(id === null
              ? []
              : [{ name: 'Its id', value: <CopyValue label="id" value={id} /> }]),
          ]}
        />
        {Object.keys(details).length > 0 && (
          <CodeBlock label="Details" code={JSON.stringify(details, null, 2)} />
        )}
        {id !== null && (
          <p>
            <Button size="s" icon="filter" onClick={() => onSubject(id)}>
              All entries about it
            </Button>
          </p>
        )}
      </div>
    </Dialog>
  )
}
