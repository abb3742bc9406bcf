import type { SecretBox } from '#platform/secret-box.ts'
import type { PersonSubject } from '#schemas/stored-data/person-subject.ts'

/**
 * The keyed hash by which a receipt is found again. It reveals nothing without the secret of the
 * installation, and differs between organizations.
 */
export function subjectHash(
  box: Pick<SecretBox, 'mac'>,
  organizationId: string,
  { email, user_id, address }: PersonSubject,
): Buffer {
  const subject = [organizationId, email ?? null, user_id ?? null, address ?? null]
  return box.mac('erased person', JSON.stringify(subject))
}
