/** Texts of the emails of `mail-link.ts`, in the languages of confirmation emails. */
import { headerText } from '#schemas/mail/escape-value.ts'
import type { OwnEmailWords } from '../../sends/own-email.ts'

export type MailedPurpose = 'preferences' | 'export' | 'erase'

interface Words {
  /** `{name}`: name of the newsletter. */
  readonly subject: string
  readonly sentence: string
  readonly action: string
}

const wordsOf: Readonly<
  Record<string, Readonly<Record<MailedPurpose, Words>> & { note: string; hour: string }>
> = {
  en: {
    preferences: {
      subject: 'Your preferences: {name}',
      sentence: 'You requested the link to your preferences for the newsletter “{name}”.',
      action: 'Open my preferences',
    },
    export: {
      subject: 'Download your data: {name}',
      sentence: 'You requested a copy of everything that “{name}” stores about you.',
      action: 'Download my data',
    },
    erase: {
      subject: 'Confirm that your data is erased: {name}',
      sentence:
        'You asked “{name}” to erase your address, your subscriptions and all data stored with them.',
      action: 'Erase my data',
    },
    hour: 'The link works for one hour.',
    note: 'If you did not request this, ignore this email. Nothing will change.',
  },
  de: {
    preferences: {
      subject: 'Deine Einstellungen: {name}',
      sentence: 'Du hast den Link zu deinen Einstellungen für den Newsletter „{name}“ angefordert.',
      action: 'Einstellungen öffnen',
    },
    export: {
      subject: 'Deine Daten herunterladen: {name}',
      sentence: 'Du hast eine Kopie aller Daten angefordert, die „{name}“ über dich speichert.',
      action: 'Daten herunterladen',
    },
    erase: {
      subject: 'Bestätige die Löschung deiner Daten: {name}',
      sentence:
        'Du hast darum gebeten, dass „{name}“ deine Adresse, deine Abonnements und alle zugehörigen Daten löscht.',
      action: 'Daten löschen',
    },
    hour: 'Der Link gilt eine Stunde.',
    note: 'Wenn du das nicht warst, beachte diese Mail nicht: Es ändert sich nichts.',
  },
  fr: {
    preferences: {
      subject: 'Vos préférences : {name}',
      sentence: 'Vous avez demandé le lien vers vos préférences pour la lettre « {name} ».',
      action: 'Ouvrir mes préférences',
    },
    export: {
      subject: 'Télécharger vos données : {name}',
      sentence:
        'Vous avez demandé une copie de toutes les données que « {name} » conserve sur vous.',
      action: 'Télécharger mes données',
    },
    erase: {
      subject: 'Confirmez la suppression de vos données : {name}',
      sentence:
        'Vous avez demandé que « {name} » supprime votre adresse, vos abonnements et toutes les données associées.',
      action: 'Supprimer mes données',
    },
    hour: 'Le lien est valable une heure.',
    note: 'Si vous n’avez rien demandé, ignorez ce message : rien ne change.',
  },
  es: {
    preferences: {
      subject: 'Tus preferencias: {name}',
      sentence: 'Has pedido el enlace a tus preferencias del boletín «{name}».',
      action: 'Abrir mis preferencias',
    },
    export: {
      subject: 'Descarga tus datos: {name}',
      sentence: 'Has pedido una copia de todos los datos que «{name}» guarda sobre ti.',
      action: 'Descargar mis datos',
    },
    erase: {
      subject: 'Confirma que se borren tus datos: {name}',
      sentence:
        'Has pedido que «{name}» borre tu dirección, tus suscripciones y todos los datos asociados.',
      action: 'Borrar mis datos',
    },
    hour: 'El enlace funciona durante una hora.',
    note: 'Si no lo has pedido, ignora este mensaje: nada cambia.',
  },
}

export function mailLinkWords(
  purpose: MailedPurpose,
  newsletter: { readonly name: string; readonly locale: string },
): Omit<OwnEmailWords, 'url'> & { subject: string } {
  const wanted = newsletter.locale.toLowerCase().split('-', 1)[0]!
  const language = Object.hasOwn(wordsOf, wanted) ? wanted : 'en'
  const { hour, note, [purpose]: words } = wordsOf[language]!
  const name = headerText(newsletter.name)
  return {
    language,
    subject: words.subject.replace('{name}', () => name),
    sentences: [words.sentence.replace('{name}', () => name)],
    action: words.action,
    note: purpose === 'preferences' ? note : `${hour} ${note}`,
  }
}
