/** Times and sizes, short. Parameters are already formatted. */
export const figures = {
  milliseconds: (n: string) => `${n} ms`,
  seconds: (n: string) => `${n} s`,
  minutes: (n: string) => `${n} m`,
  minutesSeconds: (minutes: string, seconds: string) => `${minutes} m ${seconds} s`,
  hoursMinutes: (hours: string, minutes: string) => `${hours} h ${minutes} m`,
  bytes: (n: string) => `${n} B`,
  kilobytes: (n: string) => `${n} KB`,
  megabytes: (n: string) => `${n} MB`,
  gigabytes: (n: string) => `${n} GB`,
  percent: (n: string) => `${n}%`,
};
