import type { Language } from '#capabilities/forms/form-words.ts'

const english = {
  hello: 'Hello {name}',
  due: 'Due {date}',
  good_until: 'This link is good until {time}.',
  expires_card: 'Expires {expiry}',
  first: 'Is this for you?',
  first_text: '{merchant} asks you this before you see more.',
  go_on: 'Continue',
  answer_missing: 'Type an answer.',
  wrong: 'That is not right',
  wrong_text: 'Check the spelling and try again. Tries left: {left}.',
  locked: 'This link is locked',
  locked_text: 'There were too many wrong answers. Ask {merchant} to send it again.',
  locked_cards_text: 'Too many cards were tried. Ask {merchant} to send it again.',
  withdrawn: 'This link was withdrawn',
  withdrawn_text: '{merchant} took it back on {time}.',
  expired: 'This link has expired',
  expired_text: 'It could be paid until {time}. Ask {merchant} for a new one.',
  closed: 'This link is closed',
  closed_text: 'No payment can be made here. Ask {merchant}.',
  uncharged: 'Nothing was charged.',
  missing: 'There is no such link',
  missing_text:
    'Perhaps a part of the address is missing. Open the link again, or ask whoever sent it to you.',
  slow: 'Please wait a few minutes',
  slow_text: 'Too many addresses that do not exist were opened from here. Nothing was charged.',
}

export type LinkWords = Readonly<Record<keyof typeof english, string>>

const spanish: LinkWords = {
  hello: 'Hola, {name}',
  due: 'Vence el {date}',
  good_until: 'Este enlace es válido hasta el {time}.',
  expires_card: 'Caduca {expiry}',
  first: '¿Es para usted?',
  first_text: '{merchant} le pregunta esto antes de mostrar más.',
  go_on: 'Continuar',
  answer_missing: 'Escriba una respuesta.',
  wrong: 'No es correcto',
  wrong_text: 'Revise la respuesta e inténtelo de nuevo. Intentos restantes: {left}.',
  locked: 'Este enlace está bloqueado',
  locked_text: 'Hubo demasiadas respuestas equivocadas. Pida a {merchant} que lo envíe de nuevo.',
  locked_cards_text: 'Se probaron demasiadas tarjetas. Pida a {merchant} que lo envíe de nuevo.',
  withdrawn: 'Este enlace fue retirado',
  withdrawn_text: '{merchant} lo retiró el {time}.',
  expired: 'Este enlace ha caducado',
  expired_text: 'Se podía pagar hasta el {time}. Pida uno nuevo a {merchant}.',
  closed: 'Este enlace está cerrado',
  closed_text: 'Aquí no se puede pagar. Pregunte a {merchant}.',
  uncharged: 'No se ha cobrado nada.',
  missing: 'No existe este enlace',
  missing_text:
    'Quizá falte una parte de la dirección. Abra el enlace otra vez o pregunte a quien se lo envió.',
  slow: 'Espere unos minutos',
  slow_text: 'Desde aquí se abrieron demasiadas direcciones que no existen. No se ha cobrado nada.',
}

const french: LinkWords = {
  hello: 'Bonjour {name}',
  due: 'À payer le {date}',
  good_until: 'Ce lien est valable jusqu’au {time}.',
  expires_card: 'Expire {expiry}',
  first: 'Est-ce pour vous ?',
  first_text: '{merchant} vous demande ceci avant d’en montrer plus.',
  go_on: 'Continuer',
  answer_missing: 'Saisissez une réponse.',
  wrong: 'Ce n’est pas la bonne réponse',
  wrong_text: 'Vérifiez l’orthographe et réessayez. Essais restants : {left}.',
  locked: 'Ce lien est bloqué',
  locked_text: 'Il y a eu trop de mauvaises réponses. Demandez à {merchant} de le renvoyer.',
  locked_cards_text: 'Trop de cartes ont été essayées. Demandez à {merchant} de le renvoyer.',
  withdrawn: 'Ce lien a été retiré',
  withdrawn_text: '{merchant} l’a retiré le {time}.',
  expired: 'Ce lien a expiré',
  expired_text: 'Il pouvait être payé jusqu’au {time}. Demandez-en un nouveau à {merchant}.',
  closed: 'Ce lien est fermé',
  closed_text: 'Aucun paiement n’est possible ici. Adressez-vous à {merchant}.',
  uncharged: 'Rien n’a été débité.',
  missing: 'Ce lien n’existe pas',
  missing_text:
    'Il manque peut-être une partie de l’adresse. Ouvrez de nouveau le lien, ou demandez à qui vous l’a envoyé.',
  slow: 'Veuillez patienter quelques minutes',
  slow_text: 'Trop d’adresses inexistantes ont été ouvertes depuis ici. Rien n’a été débité.',
}

export const linkWords: Readonly<Record<Language, LinkWords>> = { en: english, es: spanish, fr: french }
