import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { Facts } from '../../../design/content/data-table.tsx'
import { countOf, formatNumber } from '../../../design/content/format.ts'
import { ProblemBox } from '../../../design/content/states.tsx'
import { FileDrop } from '../../../design/forms/file-drop.tsx'
import { useSubmit } from '../../../design/forms/use-submit.ts'
import { Dialog } from '../../../design/overlays/dialog.tsx'
import { invalidateReads } from '../../../http/query-client.ts'
import { type Reply, request } from '../../../http/request.ts'
import { showToast } from '../../../shell/toast-list.ts'
import { changedBySuppressions } from './suppression-words.ts'

const send = 'POST /api/v1/admin/email/suppressions/import'
const invalidShown = 20

/** Counts what the file would change, then suppresses its addresses. */
export function ImportSuppressionsDialog({ onClose }: { readonly onClose: () => void }) {
  const [file, setFile] = useState<File>()
  const [tried, setTried] = useState<Reply<typeof send>>()
  const submit = useSubmit(async () => {
    if (file === undefined) return
    const dryRun = tried === undefined ? 'true' : 'false'
    const done = await request(send, { query: { dryRun }, body: file, contentType: 'text/csv' })
    if (done.dryRun) return setTried(done)
    await invalidateReads(...changedBySuppressions)
    showToast({ kind: 'done', text: `Suppressed ${countOf(done.added, 'address', 'addresses')}.` })
    onClose()
  })
  return (
    <Dialog title="Import suppressions" onClose={onClose}>
      <form class="form" onSubmit={submit.onSubmit}>
        {submit.problem !== undefined && <ProblemBox problem={submit.problem} />}
        <FileDrop
          label="CSV file"
          hint="With a column email, or with the addresses in the first column. At most 5 MiB."
          accept=".csv,.txt,text/csv,text/plain"
          file={file}
          onFile={(chosen) => {
            setFile(chosen)
            setTried(undefined)
          }}
        />
        {tried !== undefined && (
          <div class="stack" role="status">
            <Facts
              facts={[
                { name: 'Rows', value: formatNumber(tried.rows) },
                { name: 'New', value: formatNumber(tried.added) },
                { name: 'Suppressed before', value: formatNumber(tried.unchanged) },
                { name: 'Not valid', value: formatNumber(tried.invalid) },
              ]}
            />
            {tried.mistakes.slice(0, invalidShown).map(({ row, rule }) => (
              <p class="small soft" key={row}>
                Row {formatNumber(row)}: {rule}
              </p>
            ))}
          </div>
        )}
        <div class="form-actions">
          <Button
            kind="primary"
            type="submit"
            busy={submit.isBusy}
            disabled={file === undefined || tried?.added === 0}
          >
            {tried === undefined
              ? 'Check the file'
              : `Suppress ${countOf(tried.added, 'address', 'addresses')}`}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  )
}
