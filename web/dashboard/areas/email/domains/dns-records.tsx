import { CopyValue } from '../../../design/content/copy.tsx'
import {
  CheckState,
  type DnsRecord,
  type RecordCheck,
  recordUses,
  type SendingDomain,
} from './domain-words.tsx'
import './domains.css'

/** Each record with host, type and value to copy, and what a check found in its place. */
export function DnsRecords({ domain }: { readonly domain: SendingDomain }) {
  return (
    <ul class="dns-records">
      {domain.records.map((record) => (
        <Record
          key={record.use}
          record={record}
          check={domain.checks?.find(({ use }) => use === record.use)}
        />
      ))}
    </ul>
  )
}

function Record({
  record,
  check,
}: {
  readonly record: DnsRecord
  readonly check: RecordCheck | undefined
}) {
  const { name, what } = recordUses[record.use]
  const isWrong = check !== undefined && check.state !== 'pass'
  return (
    <li class="dns-record">
      <div class="dns-record-head">
        <h3>{name}</h3>
        <CheckState check={check} isRequired={record.required} />
        <span class="soft small">
          {record.required ? '' : 'Recommended. '}
          {what}
        </span>
      </div>
      <dl>
        <div>
          <dt>Type</dt>
          <dd class="mono">{record.type}</dd>
        </div>
        <div>
          <dt>Host</dt>
          <dd>
            <CopyValue label={`the host of ${name}`} value={record.name} />
          </dd>
        </div>
        <div>
          <dt>Value</dt>
          <dd>
            <CopyValue label={`the value of ${name}`} value={record.value} />
          </dd>
        </div>
        {isWrong && check.hint !== null && (
          <div>
            <dt>To do</dt>
            <dd class={record.required ? 'dns-record-hint' : 'soft'}>{check.hint}</dd>
          </div>
        )}
        {isWrong && check.found.length > 0 && (
          <div>
            <dt>Found</dt>
            <dd>
              {check.found.map((value) => (
                <code class="dns-record-found" key={value}>
                  {value}
                </code>
              ))}
            </dd>
          </div>
        )}
      </dl>
    </li>
  )
}
