/**
 * State and start time in the text of `/proc/PID/stat`. The second field is the program's name in parentheses and may hold
 * anything; field 22 is the 20th after it.
 */
export function processStat(text: string): {
  readonly state: string | undefined;
  readonly startTime: string | undefined;
} {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0], startTime: fields[19] };
}
