export const a = (
  <p>
    One two{' '}
    <i>three</i>
    {" "}four &amp; five
  </p>
);
export const b = <p>One two <i>three</i> four &amp; five</p>;
export const c = <p title='say "x"' alt="say &quot;x&quot;" />;
