import type { BuiltinPattern } from './pattern.ts';

/** Data about persons that has a form. Names and postal addresses have none and are not found. */
export const pii: readonly BuiltinPattern[] = [
  {
    name: 'email',
    regex: '\\b[A-Za-z0-9._%+-]+@(?:[A-Za-z0-9-]+\\.)+(?:[A-Za-z]{2,24})\\b(?:[^:/\\w-]|:\\s|$)',
    why: 'E-mail addresses; what goes on with ":path" is an SSH remote',
  },
  {
    name: 'payment_card',
    regex:
      '(?:^|[^\\w.-])(?:(?:4\\d{3}|5[1-5]\\d{2}|2(?:22[1-9]|2[3-9]\\d|[3-6]\\d{2}|7[01]\\d|720)|6(?:011|4[4-9]\\d|5\\d{2}))(?:[ -]?\\d{4}){3}|3[47]\\d{2}[ -]?\\d{6}[ -]?\\d{5})(?:[^\\w.-]|[.-](?:\\D|$)|$)',
    why: 'Visa, Mastercard, Discover, American Express numbers; RE2 cannot check their check digit',
  },
  {
    name: 'us_ssn',
    regex:
      '(?:^|[^\\w-])(?:0[1-9]\\d|00[1-9]|[1-57-8]\\d{2}|6(?:[0-57-9]\\d|6[0-57-9]))-(?:0[1-9]|[1-9]\\d)-(?:000[1-9]|00[1-9]\\d|0[1-9]\\d{2}|[1-9]\\d{3})(?:[^\\w-]|$)',
    why: 'United States social security numbers, numbers that are never issued left out',
  },
  {
    name: 'iban',
    regex:
      '\\b(?:AD|AE|AT|BE|BG|CH|CY|CZ|DE|DK|EE|ES|FI|FR|GB|GR|HR|HU|IE|IL|IS|IT|LI|LT|LU|LV|MC|MT|NL|NO|PL|PT|RO|SA|SE|SI|SK|SM|TR)\\d{2}(?:(?: [A-Z0-9]{4}){3,7}(?: [A-Z0-9]{1,3})?|[A-Z0-9]{4}\\d{7}[A-Z0-9]*)\\b',
    why: 'Bank accounts in the European form',
  },
  {
    name: 'phone_international',
    regex: '(?:^|[^\\w+.-])\\+[1-9](?:[ .-]?\\(?\\d\\)?){6,13}\\b',
    why: 'Telephone numbers with a country code',
  },
  {
    name: 'phone_north_america',
    regex: '(?:^|[^\\w.-])(?:\\(\\d{3}\\) ?|[2-9]\\d{2}[-.])[2-9]\\d{2}[-.]\\d{4}(?:[^\\w-]|$)',
    why: 'Telephone numbers of North America with separators',
  },
  {
    name: 'birth_date',
    regex:
      '(?i:\\b(?:date[ _]of[ _]birth|birth[ _]?date|dob|born(?: on)?)\\b["\']?\\s{0,3}[:=]?\\s{0,3}["\']?(?:\\d{4}-\\d{1,2}-\\d{1,2}|\\d{1,2}[./-]\\d{1,2}[./-]\\d{2,4}|\\d{1,2}(?:st|nd|rd|th)? [a-z]{3,9} \\d{4}|[a-z]{3,9} \\d{1,2},? \\d{4}))',
    why: 'A date that is said to be one of birth',
  },
  {
    name: 'labelled_id',
    regex:
      "(?i:\\b(?:passport|driver'?s? licen[cs]e|national id|social security|ssn|tax id|nhs|medicare)(?: (?:no|num|number|nr|id))?\\.?[\"']?\\s{0,3}(?:is|[:=#])?\\s{0,3}[\"']?)[A-Z]{0,3}[ -]?\\d(?:[ -]?\\d){5,11}\\b",
    why: 'A number that is said to be of an identity document',
  },
];
