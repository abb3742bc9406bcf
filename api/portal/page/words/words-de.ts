import type { Words } from './page-words.ts'

const counted = (count: number, one: string, many: string) =>
  `${count.toLocaleString('de')} ${count === 1 ? one : many}`

export const german: Words = {
  title: 'Ideen',
  skip: 'Zum Inhalt',
  all: 'Alle',
  byStatus: 'Nach Status',
  status: {
    Open: 'Offen',
    Planned: 'Geplant',
    Started: 'In Arbeit',
    Completed: 'Erledigt',
    Declined: 'Abgelehnt',
    Duplicate: 'Doppelt',
  },
  search: 'Ideen suchen',
  searchPlaceholder: 'Suchen oder vorschlagen …',
  sortBy: 'Sortieren nach',
  top: 'Beliebt',
  newest: 'Neu',
  tags: 'Themen',
  suggest: 'Idee vorschlagen',
  suggestShort: 'Vorschlagen',
  suggestThis: (text) => `„${text}“ vorschlagen`,
  nothingFits: (text) => `Zu „${text}“ gibt es noch keine Idee.`,
  nothingHere: 'Hier gibt es noch keine Ideen.',
  beFirst: 'Schlagen Sie die erste Idee vor.',
  found: (count) => counted(count, 'Idee', 'Ideen'),
  more: 'Mehr zeigen',
  votes: (count) => counted(count, 'Stimme', 'Stimmen'),
  vote: (title) => `Für „${title}“ stimmen`,
  comments: (count) => counted(count, 'Kommentar', 'Kommentare'),
  noComments: 'Noch keine Kommentare. Was meinen Sie?',
  by: (name) => `von ${name}`,
  writtenOn: (title) => `zu „${title}“`,
  anonymous: 'Jemand',
  team: 'Team',
  back: 'Alle Ideen',
  history: 'Verlauf',
  suggested: 'Vorgeschlagen',
  moved: (status) => `Jetzt: ${status}`,
  merged: 'Mit einer anderen Idee zusammengeführt',
  unmerged: 'Zusammenführung rückgängig gemacht',
  response: 'Antwort des Teams',
  pending: 'Wartet auf Freigabe',
  pendingNote: 'Diese Idee wartet auf Freigabe. Bis das Team sie geprüft hat, sehen nur Sie sie.',
  pendingCommentNote:
    'Dieser Kommentar wartet auf Freigabe. Bis das Team ihn geprüft hat, sehen nur Sie ihn.',
  pendingEvent: 'Wartet auf Freigabe',
  duplicateNote: 'Das wurde schon vorgeschlagen. Stimmen zählen für die andere Idee.',
  duplicateLink: 'Zu dieser Idee',
  deleted: 'Dieser Kommentar wurde gelöscht.',
  reply: 'Antworten',
  send: 'Kommentieren',
  writeComment: 'Kommentar schreiben',
  writeReply: 'Ihre Antwort',
  email: 'E-Mail (optional)',
  emailWhy: 'Wir verwenden sie nur, um Sie über Antworten zu informieren.',
  suggestTitle: 'Idee vorschlagen',
  suggestIntro: 'Schlagen Sie jeweils eine Idee vor. Andere können dafür stimmen.',
  ideaTitle: 'Titel',
  ideaTitleHint: 'Ein kurzer Titel, den andere finden können',
  ideaText: 'Beschreibung',
  ideaTextHint: 'Was möchten Sie tun, und was hindert Sie heute daran?',
  similar: 'Ähnliche Ideen',
  submit: 'Idee senden',
  signIn:
    'Um hier abzustimmen oder zu schreiben, melden Sie sich auf der Website an, von der Sie kommen.',
  poweredBy: 'Läuft mit Sluice',
  feedNew: 'Neue Ideen',
  feedStatus: 'Statusänderungen',
  leaveEmpty: 'Bitte leer lassen',
  tooFast:
    'Das Formular wurde zu schnell gesendet. Bitte warten Sie einen Augenblick und senden Sie es noch einmal.',
  failed: 'Etwas ist schiefgegangen. Bitte versuchen Sie es noch einmal.',
  offline: 'Sie sind offline. Es wurde nichts gesendet.',
  voted: 'Ihre Stimme wurde gezählt.',
  unvoted: 'Ihre Stimme wurde zurückgenommen.',
  notFound: 'Seite nicht gefunden',
  notFoundText: 'Der Link ist vielleicht veraltet, oder die Idee wurde entfernt.',
  unavailable:
    'Diese Seite ist gerade nicht erreichbar. Bitte versuchen Sie es gleich noch einmal.',
  foreignForm:
    'Dieses Formular kam von einer anderen Website, deshalb wurde nichts gespeichert. Öffnen Sie das Portal und senden Sie es dort.',
  refusals: {
    'validation_failed:title': 'Bitte geben Sie einen Titel mit 1 bis 200 Zeichen ein.',
    'validation_failed:description': 'Bitte beschreiben Sie die Idee mit 1 bis 10.000 Zeichen.',
    'validation_failed:body': 'Bitte schreiben Sie einen Kommentar mit 1 bis 5.000 Zeichen.',
    'validation_failed:enduser_email':
      'Diese E-Mail-Adresse ist ungültig. Korrigieren Sie sie oder lassen Sie das Feld leer.',
    'validation_failed:parent_id': 'Den Kommentar, auf den Sie antworten, gibt es nicht mehr.',
    'validation_failed:enduser_id':
      'Dieser Browser konnte nicht erkannt werden. Laden Sie die Seite neu und versuchen Sie es noch einmal.',
    token_required:
      'Um hier abzustimmen oder zu schreiben, melden Sie sich auf der Website an, von der Sie kommen.',
    token_invalid:
      'Ihre Anmeldung ist hier nicht gültig. Melden Sie sich auf der Website, von der Sie kommen, noch einmal an.',
    token_expired:
      'Ihre Anmeldung ist abgelaufen. Melden Sie sich auf der Website, von der Sie kommen, noch einmal an.',
    blocked: 'Das Team hat Sie auf diesem Portal gesperrt.',
    suggestions_closed: 'Dieses Portal nimmt zurzeit keine neuen Ideen an.',
    comments_closed: 'Dieses Portal nimmt zurzeit keine Kommentare an.',
    thread_full: 'Hier sind keine weiteren Antworten möglich.',
    not_found: 'Der Link ist vielleicht veraltet, oder die Idee wurde entfernt.',
    body_too_large: 'Dieser Text ist zu lang.',
    unavailable:
      'Diese Seite ist gerade nicht erreichbar. Bitte versuchen Sie es gleich noch einmal.',
    rate_limited:
      'Zu viele Anfragen. Bitte warten Sie einen Augenblick und versuchen Sie es noch einmal.',
    'rate_limited:read':
      'Zu viele Anfragen. Bitte warten Sie einen Augenblick und versuchen Sie es noch einmal.',
    'rate_limited:page':
      'Aus Ihrem Netz wurden zu viele Seiten geöffnet. Bitte warten Sie einen Augenblick und versuchen Sie es noch einmal.',
    'rate_limited:vote':
      'Aus Ihrem Netz sind {count} Stimmen in der Minute möglich. Bitte warten Sie einen Augenblick und versuchen Sie es noch einmal.',
    'rate_limited:suggest':
      'Aus Ihrem Netz sind {count} Ideen in der Minute möglich. Bitte warten Sie einen Augenblick und versuchen Sie es noch einmal.',
    'rate_limited:suggest_hour':
      'Aus Ihrem Netz sind {count} Ideen in der Stunde möglich. Bitte versuchen Sie es später noch einmal.',
    'rate_limited:suggest_portal':
      'Dieses Portal nimmt {count} Ideen in der Stunde an. Diese Zahl ist erreicht. Bitte versuchen Sie es später noch einmal.',
    'rate_limited:comment':
      'Aus Ihrem Netz sind {count} Kommentare in der Minute möglich. Bitte warten Sie einen Augenblick und versuchen Sie es noch einmal.',
  },
}
